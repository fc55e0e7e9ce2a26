// Translation edit rate (Snover et al. 2006): edits and shifts of words that turn a hypothesis into a reference.
//
// The search for shifts is greedy, with the limits and the order of preference of Tercom as sacrebleu 2 has them,
// so that edits are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"

namespace tunesmith {

// Edits (shifts included) between two sequences of words. Words of the hypothesis that the reference lacks may all
// have one number.
class EditCounter {
 public:
  int count(std::span<const WordId> hypothesis, std::span<const WordId> reference);

 private:
  struct Cell {
    std::int32_t cost;
    char operation;  // the last one on the way here: ' ' none, 's' substitution, 'i' insertion, 'd' deletion
  };
  struct Shift {
    int gain, length, start, target;
    bool better_than(const Shift& other) const;
  };

  void fill_matrix(std::size_t from);
  void next_row(std::span<const WordId> words, std::size_t row, const Cell* before, Cell* out) const;
  void align();
  Shift best_shift(int& checked);
  int shifted_distance(int start, int length, int target);
  void shift_words(int start, int length, int target);
  Cell* row_at(std::size_t row) { return matrix_.data() + row * columns_; }

  std::span<const WordId> reference_;
  std::vector<WordId> words_, shifted_;  // the hypothesis after the shifts so far, and after one more
  std::vector<Cell> matrix_;             // (words + 1) × (reference + 1): edits between their beginnings
  std::vector<Cell> rows_;               // two rows of the matrix of a shifted hypothesis
  std::size_t columns_ = 0;
  double ratio_ = 1;  // reference words for each word of the hypothesis
  int beam_ = 0;
  std::vector<int> aligned_;  // per reference word: the word of the hypothesis it is at
  std::vector<int> hypothesis_errors_, reference_errors_;  // sums up to each word
};

// References of many sentences, as words.
class TerReferences {
 public:
  // Adds the next sentence with its references, at least one.
  void add(std::span<const std::string_view> references);

  std::size_t size() const { return begins_.size() - 1; }

  // Row i of `out` (hypotheses × 2): the edits that hypotheses[i] needs for the closest reference of sentence
  // sentences[i], and the average length of its references.
  void statistics(std::span<const std::string_view> hypotheses, std::span<const std::int64_t> sentences,
                  int threads, std::span<double> out) const;

 private:
  WordTable vocabulary_;
  std::vector<WordId> words_;
  std::vector<std::size_t> ends_{0};    // per reference: where its words end, after a 0
  std::vector<std::size_t> begins_{0};  // per sentence: its first reference, and the end
};

}  // namespace tunesmith
