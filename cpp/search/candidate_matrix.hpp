// The feature matrix X of many candidates, as tuners use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunesmith {

// One row per candidate, one column per feature. Tuners use these operations and never ask how rows are stored:
// plain (dense block + CSR, lists from files) or factored (D·F + s, our own decoders).
class CandidateMatrix {
 public:
  virtual ~CandidateMatrix() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;

  // out[i] = X[begin + i] · w for the rows [begin, end). The same sum in the same order whatever the range.
  virtual void dots(std::size_t begin, std::size_t end, std::span<const double> w, double* out) const = 0;
  // w += scale · X[row].
  virtual void add_row(std::size_t row, double scale, std::span<double> w) const = 0;
  // Appends the non-zero entries of a row, ids ascending, each id once.
  virtual void row(std::size_t row, std::vector<std::uint32_t>& ids, std::vector<double>& values) const = 0;
};

}  // namespace tunesmith
