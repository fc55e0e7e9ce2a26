// Candidates whose features are stored as they came: lists from files, matrices of users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory/prefetch.hpp"
#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// The arrays of a plain matrix; a view. Columns that most rows have are a block, the others are pairs (see
// `split_columns`).
template <class Value>
struct PlainArrays {
  std::size_t rows = 0, columns = 0;
  std::span<const std::uint32_t> dense_ids;  // ascending
  std::span<const Value> dense;              // rows × dense_ids.size(), row by row
  std::span<const std::int64_t> offsets;     // pairs of row r: [offsets[r], offsets[r + 1])
  std::span<const std::uint32_t> ids;        // ascending in a row, none of dense_ids
  std::span<const Value> values;
};

// Value: float or double. Sums are made in double whatever the type.
template <class Value>
class PlainMatrix : public CandidateMatrix {
 public:
  // Reads every number once; throws Error for arrays that do not fit together and values that are not finite.
  explicit PlainMatrix(const PlainArrays<Value>& arrays);

  std::size_t rows() const override { return arrays_.rows; }
  std::size_t columns() const override { return arrays_.columns; }
  void dots(std::size_t begin, std::size_t end, std::span<const double> w, double* out) const override;
  void prefetch(std::size_t begin, std::size_t end) const override {
    const std::size_t width = arrays_.dense_ids.size();
    prefetch_all(arrays_.dense.data() + begin * width, (end - begin) * width);
  }
  void add_row(std::size_t row, double scale, std::span<double> w) const override;
  void add_row(std::size_t row, double scale, NotedSum& sum) const override;
  void row(std::size_t row, std::vector<std::uint32_t>& ids, std::vector<double>& values) const override;
  void add_columns(std::size_t begin, std::size_t end, DistinctColumns& columns) const override;
  const PlainArrays<Value>& arrays() const { return arrays_; }

 private:
  // Weights of the dense columns side by side: those of `w` itself where their ids are.
  const double* dense_weights(std::span<const double> w, std::vector<double>& scratch) const;

  PlainArrays<Value> arrays_;
  bool adjacent_ = false;  // dense_ids are a, a + 1, a + 2, …
};

extern template class PlainMatrix<float>;
extern template class PlainMatrix<double>;

}  // namespace tunesmith
