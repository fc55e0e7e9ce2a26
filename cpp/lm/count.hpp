// Counts of the n-grams of a text, sorted, within a given memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/record_sorter.hpp"
#include "corpus/word_table.hpp"

namespace tunesmith::lm {

// What is done with `<s>`, `</s>` or `<unk>` as a word of the text.
enum class SpecialWords { error, skip, unknown };

// For every word of `<s> w1 … wm </s>` but the first, the n-gram of length `order` that ends in it is counted;
// what is missing on its left is filled with `<s>`, so each record is a whole n-gram in context order and a count.
class NgramCounter {
 public:
  // `bytes` bounds the memory for sorting, `folder` takes what does not fit.
  NgramCounter(int order, SpecialWords special, std::size_t bytes, const std::string& folder, int threads = 1);

  // Counts these lines. A special word that must not be there throws LineError with the number of the line,
  // counted over all calls.
  void add(std::span<const std::string_view> lines);

  // Words besides the most frequent `limit` (equally frequent: those that came first) become `<unk>`; the
  // others keep their order. Called once, after the last line. No limit costs nothing.
  void limit_vocabulary(std::size_t limit);

  // Hand over the counts, ended (see RecordSorter), and the words; no line can be added afterwards.
  RecordSorter take_ended();
  WordTable take_words();

  int order() const { return order_; }
  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t sentences() const { return sentences_; }
  std::uint64_t types_left_out() const { return types_left_out_; }

 private:
  // What one thread reads of lines: the numbers of their words, with </s> after each line.
  struct Piece {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::uint32_t> words;
    std::vector<std::pair<std::size_t, std::string_view>> unseen;  // places and words that have no number yet
    std::size_t refused = none;                                    // the first line with a special word
    std::string_view refused_word;
  };

  Piece read(std::span<const std::string_view> lines) const;

  int order_;
  SpecialWords special_;
  std::size_t bytes_;
  std::string folder_;
  int threads_;
  WordTable words_;
  std::vector<std::uint64_t> occurrences_;  // of each word that is not special
  RecordSorter sorter_;
  bool is_ended_ = false;
  std::uint64_t tokens_ = 0, sentences_ = 0, types_left_out_ = 0;
};

}  // namespace tunesmith::lm
