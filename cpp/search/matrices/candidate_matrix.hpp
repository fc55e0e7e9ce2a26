// The feature matrix X of many candidates, as tuners use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"

namespace tunesmith {

class DistinctColumns;
class NotedSum;

// One row per candidate, one column per feature. Tuners use these operations and never ask how rows are stored:
// plain (dense block + CSR, lists from files) or factored (D·F + s, our own decoders).
//
// Row numbers are below rows(), weight vectors have columns() entries; who calls has checked that.
class CandidateMatrix {
 public:
  virtual ~CandidateMatrix() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;

  // out[i] = X[begin + i] · w for the rows [begin, end). The same sum in the same order whatever the range.
  virtual void dots(std::size_t begin, std::size_t end, std::span<const double> w, double* out) const = 0;
  // Asks the memory for what dots() will read, where that is worth while.
  virtual void prefetch(std::size_t, std::size_t) const {}
  // w += scale · X[row].
  virtual void add_row(std::size_t row, double scale, std::span<double> w) const = 0;
  // The same additions in the same order.
  virtual void add_row(std::size_t row, double scale, NotedSum& sum) const = 0;
  // Appends the non-zero entries of a row, ids ascending, each id once.
  virtual void row(std::size_t row, std::vector<std::uint32_t>& ids, std::vector<double>& values) const = 0;

  // X·w, all of it: what dots gives, perhaps cheaper because it is asked for at once.
  virtual void all_dots(std::span<const double> w, double* out, int threads) const {
    parallel_ranges(rows(), threads,
                    [&](std::size_t begin, std::size_t end) { dots(begin, end, w, out + begin); });
  }
  // out += Xᵀ·c, with c[i] for the rows [begin, begin + c.size()).
  virtual void combine(std::size_t begin, std::span<const double> c, std::span<double> out) const {
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c[i] != 0) add_row(begin + i, c[i], out);
  }
  // Adds the columns that are not zero in some of the rows [begin, end). Where values of parts cancel each other
  // out to zero, the column may be among them. `columns` has grown to columns().
  virtual void add_columns(std::size_t begin, std::size_t end, DistinctColumns& columns) const;
  // Appends bytes that are the same for two rows exactly if both are stored alike: what merging compares. Columns
  // are called by their number in `column_map`, by their own where that is empty.
  virtual void append_key(std::size_t row, std::span<const std::uint32_t> column_map, std::string& out) const;
};

// A matrix cut into sentences: candidates offsets[s] to offsets[s + 1] are those of sentence s. What kernels of
// tuners are given. Offsets rise from 0 to matrix.rows().
struct CandidateLists {
  const CandidateMatrix& matrix;
  std::span<const std::int64_t> offsets;

  std::size_t sentences() const { return offsets.size() - 1; }
  std::size_t begin(std::size_t sentence) const { return static_cast<std::size_t>(offsets[sentence]); }
  std::size_t end(std::size_t sentence) const { return static_cast<std::size_t>(offsets[sentence + 1]); }
};

}  // namespace tunesmith
