// The statistics of a metric for the candidates of many lists, equal rows of a sentence kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory/prefetch.hpp"
#include "tuning/losses/lists.hpp"

namespace tunesmith {

// K-best lists hold the same words, or words of the same score, many times: what depends on the metric alone is
// then computed once per distinct row. Rows of a sentence are sorted, so that equal lengths stand together.
class DistinctStatistics {
 public:
  // `statistics` is rows × width, row by row.
  template <class T>
  DistinctStatistics(const Lists& lists, const T* statistics, std::size_t width, int threads);

  std::size_t width() const { return width_; }
  std::size_t rows() const { return row_of_.size(); }
  std::size_t sentences() const { return first_.size() - 1; }
  // Distinct rows of a sentence are numbered first(s) .. first(s + 1).
  std::size_t first(std::size_t sentence) const { return first_[sentence]; }
  std::size_t count(std::size_t sentence) const { return first_[sentence + 1] - first_[sentence]; }
  // Number of a candidate's row among the distinct rows of its sentence.
  std::uint32_t row_of(std::size_t candidate) const { return row_of_[candidate]; }
  const std::uint32_t* rows_of(std::size_t candidate) const { return row_of_.data() + candidate; }
  // Value i of all distinct rows of a sentence, count(sentence) of them.
  const double* column(std::size_t sentence, std::size_t i) const {
    return values_.data() + first_[sentence] * width_ + i * count(sentence);
  }
  // Asks the memory for all columns of a sentence.
  void prefetch(std::size_t sentence) const { prefetch_all(column(sentence, 0), count(sentence) * width_); }
  double value(std::size_t sentence, std::size_t i, std::uint32_t row) const { return column(sentence, i)[row]; }

 private:
  std::size_t width_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> row_of_;
  std::vector<double> values_;
};

}  // namespace tunesmith
