// Words with their neighbours: all that clustering reads of a text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/narrow.hpp"
#include "base/number_table.hpp"
#include "corpus/word_table.hpp"

namespace tunesmith {

// How often a word, or a border of sentences, stands next to another one.
struct Neighbour {
  std::uint32_t word;
  std::uint32_t count;
  bool operator==(const Neighbour&) const = default;
};

// Lists of neighbours of all words, by word.
struct Neighbours {
  std::vector<Neighbour> entries;
  std::vector<std::size_t> offsets;
  std::span<const Neighbour> of(std::size_t word) const {
    return {entries.data() + offsets[word], offsets[word + 1] - offsets[word]};
  }
};

// Words by falling count, equally frequent ones in the order of their bytes; `<unk>` stands for all words that
// were not chosen, and is one of the words where there are any. The border of sentences has the number
// words.size(): it stands before first words and after last ones.
struct Bigrams {
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  Neighbours before, after;
  std::int64_t tokens = 0;
  std::size_t size() const { return words.size(); }
  std::uint32_t border() const { return narrow<std::uint32_t>(words.size(), "words"); }
};

inline constexpr std::string_view unknown_word = "<unk>";

// The word with 0 for every digit of ASCII.
std::string without_digits(std::string_view word);

// Counts words and pairs of neighbours of any number of lines.
class BigramCounter {
 public:
  // digits_to_one: every digit of ASCII is read as 0.
  explicit BigramCounter(bool digits_to_one = false) : digits_to_one_(digits_to_one) {}

  void add(std::span<const std::string_view> lines);
  std::int64_t sentences() const { return sentences_; }
  std::int64_t tokens() const { return tokens_; }
  std::size_t types() const { return table_.size(); }

  // The words that are among `known` or occur at least `min_count` times; all others are `<unk>`.
  Bigrams choose(std::int64_t min_count, std::span<const std::string_view> known = {}) const;

 private:
  std::string_view word(std::size_t id) const { return table_.word(static_cast<WordId>(id)); }

  bool digits_to_one_;
  WordTable table_;
  std::vector<std::int64_t> counts_;
  NumberTable pairs_;  // (1 + left word) << 32 | 1 + right word; 0 is the border
  std::int64_t sentences_ = 0, tokens_ = 0;
};

}  // namespace tunesmith
