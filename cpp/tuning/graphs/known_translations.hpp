// Translations that were read off search graphs, each once, with their metric statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tunesmith {

// What a metric needs to know: the words of new translations, and from then on one row of statistics for each. Any
// metric can give the rows; equal rows of a sentence are kept once. Several threads may add translations of
// different sentences.
class KnownTranslations {
 public:
  explicit KnownTranslations(std::size_t sentences) : sentences_(sentences) {}

  std::size_t sentences() const { return sentences_.size(); }
  std::size_t size(std::size_t sentence) const { return sentences_[sentence].keys.size(); }
  std::size_t width() const { return width_; }
  // Throws Error unless all translations have statistics.
  void check_measured() const;

  // The number of the translation of a sentence with these words; a new one waits for its statistics.
  std::uint32_t number(std::size_t sentence, std::span<const std::int32_t> words);

  // The translations without statistics: sentence by sentence, in the order in which they came.
  struct New {
    std::vector<std::int64_t> sentences, offsets{0};
    std::vector<std::uint32_t> words;
  };
  New without_statistics() const;
  // Gives these statistics to the translations of without_statistics(), row by row. Throws Error for another
  // number of rows, or of statistics than before.
  void add_statistics(std::span<const double> rows, std::size_t count, std::size_t width);

  // The distinct row of a measured translation.
  std::uint32_t row_of(std::size_t sentence, std::uint32_t number) const {
    return sentences_[sentence].row_of[number];
  }
  double value(std::size_t sentence, std::size_t i, std::uint32_t row) const {
    return sentences_[sentence].rows[row * width_ + i];
  }
  std::span<const double> row(std::size_t sentence, std::uint32_t row) const {
    return {sentences_[sentence].rows.data() + row * width_, width_};
  }
  std::size_t words_of(std::size_t sentence, std::uint32_t number) const {
    return sentences_[sentence].keys[number]->size() / sizeof(std::int32_t);
  }
  void append_words(std::size_t sentence, std::uint32_t number, std::vector<std::uint32_t>& words) const;

 private:
  struct Sentence {
    std::unordered_map<std::string, std::uint32_t> numbers;  // by the bytes of the words
    std::vector<const std::string*> keys;                    // of each number
    std::vector<std::uint32_t> row_of;                       // of the measured ones
    std::unordered_map<std::string, std::uint32_t> distinct;
    std::vector<double> rows;
  };
  std::vector<Sentence> sentences_;
  std::size_t width_ = 0;
};

}  // namespace tunesmith
