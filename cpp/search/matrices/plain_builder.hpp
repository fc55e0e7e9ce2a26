// Collects rows and decides how a plain matrix stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/matrices/plain_matrix.hpp"

namespace tunesmith {

// Arrays that own their values; see PlainArrays.
template <class Value>
struct PlainStorage {
  std::size_t rows = 0, columns = 0;
  std::vector<std::uint32_t> dense_ids;
  std::vector<Value> dense;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<Value> values;

  PlainArrays<Value> view() const { return {rows, columns, dense_ids, dense, offsets, ids, values}; }
};

// Up to this number of columns all of them are the block: a row of floats is a cache line at most.
inline constexpr std::size_t few_columns = 16;

// The matrix of rows given as CSR, ids ascending in a row and below `columns`, offsets right. A column is dense
// where at least half of the rows have it: a pair costs twice the memory of an entry of the block. Of few columns
// all are dense, because looking for the pairs of a row costs more than the zeros of a short row do.
template <class Value>
PlainStorage<Value> split_columns(std::size_t columns, std::span<const std::int64_t> offsets,
                                  std::span<const std::uint32_t> ids, std::span<const double> values);

// Rows as they come, pairs (id, value) in any order of ids.
class PlainBuilder {
 public:
  void add(std::uint32_t id, double value) {
    ids_.push_back(id);
    values_.push_back(value);
  }
  // Ends the row. Throws Error if an id came twice in it; there is no such row then.
  void end_row();
  // The feature that came twice, after end_row has thrown.
  std::uint32_t repeated() const { return repeated_; }

  std::size_t rows() const { return offsets_.size() - 1; }

  // Columns that a list gives whatever their value is, ascending: those of every row, and those of half of the
  // rows or more of which one has a 0, which lists of sparse features leave out.
  std::vector<std::uint32_t> stated(std::size_t columns) const;

  // The rows from number `count` on; the others stay.
  PlainBuilder take_behind(std::size_t count);

  // The matrix of all rows, which are given up.
  template <class Value>
  PlainStorage<Value> finish(std::size_t columns) && {
    PlainStorage<Value> out = split_columns<Value>(columns, offsets_, ids_, values_);
    *this = PlainBuilder();
    return out;
  }

 private:
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::uint32_t> ids_;
  std::vector<double> values_;
  std::vector<std::pair<std::uint32_t, double>> sorted_;
  std::uint32_t repeated_ = 0;
};

// X·P: row r of the result is the sum of value × (row id of P) over the entries of row r of X. P is CSR with
// X.columns() rows; throws Error for one that does not fit.
struct Projection {
  std::size_t groups = 0;
  std::span<const std::int64_t> offsets;
  std::span<const std::uint32_t> ids;
  std::span<const double> values;
};
PlainStorage<double> project(const CandidateMatrix& matrix, const Projection& projection);

// Whether float holds every value exactly.
bool fits_float(std::span<const double> values);

}  // namespace tunesmith
