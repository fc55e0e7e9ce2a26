// Words ↔ numbers, and the counts a vocabulary is chosen by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"

namespace tunesmith {

// Sentences as word numbers: sentence i is ids[offsets[i] .. offsets[i + 1]).
struct EncodedLines {
  std::vector<WordId> ids;
  std::vector<std::int64_t> offsets;
};

// A fixed list of words with their counts. The first three are special: `<unk>` stands for every word that is not
// in the list, `<s>` and `</s>` for the borders of a sentence.
class Vocabulary {
 public:
  static constexpr WordId unknown = 0, sentence_begin = 1, sentence_end = 2;
  static constexpr std::string_view special[3] = {"<unk>", "<s>", "</s>"};

  // The words in this order, all different, the special ones first; counts[i] ≥ 0 belongs to words[i].
  Vocabulary(std::span<const std::string_view> words, std::vector<std::int64_t> counts);

  std::size_t size() const { return table_.size(); }
  const std::vector<std::int64_t>& counts() const { return counts_; }
  // The number of `word`, or nothing if it is not in the list.
  std::optional<WordId> find(std::string_view word) const;
  std::string_view word(std::int64_t id) const;

  // The words of every line as numbers; the result does not depend on the number of threads.
  EncodedLines encode(std::span<const std::string_view> lines, int threads) const;
  // The inverse up to white space and unknown words: words joined by one space.
  std::vector<std::string> decode(std::span<const WordId> ids, std::span<const std::int64_t> offsets) const;

 private:
  WordTable table_;
  std::vector<std::int64_t> counts_;
};

// Counts the words of any number of lines.
class WordCounter {
 public:
  void add(std::span<const std::string_view> lines);
  // The number of the word, in the order in which words came.
  WordId add(std::string_view word);
  std::string_view word(WordId id) const { return table_.word(id); }
  std::int64_t tokens() const { return tokens_; }
  std::size_t types() const { return table_.size(); }

  // The most frequent words that occur at least `min_count` times, at most `limit` of them besides the special
  // ones; most frequent first, equally frequent ones in the order of their bytes (that of code points). The
  // occurrences of all words left out are the count of `<unk>`, so the counts always sum to tokens().
  Vocabulary choose(std::optional<std::int64_t> limit, std::int64_t min_count) const;

 private:
  WordTable table_;
  std::vector<std::int64_t> counts_;
  std::int64_t tokens_ = 0;
};

}  // namespace tunesmith
