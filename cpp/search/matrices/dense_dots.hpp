// Dot products of the rows of a dense block with one vector.
#pragma once

#include <cstddef>

namespace tunesmith {

// out[r] = Σ_j w[j] · rows[r · width + j], made in double in this order: column j goes to partial sum j mod 4, and
// the result is (s0 + s2) + (s1 + s3) + 0. So four columns can be added at once, and a machine that can does; the
// bytes are the same on every machine.
template <class Value>
void dense_dots(const Value* rows, std::size_t count, std::size_t width, const double* w, double* out);

// The same on any machine.
template <class Value>
void dense_dots_portable(const Value* rows, std::size_t count, std::size_t width, const double* w, double* out) {
  for (std::size_t r = 0; r < count; ++r, rows += width) {
    double sum[4] = {0, 0, 0, 0};
    std::size_t j = 0;
    for (; j + 4 <= width; j += 4)
      for (std::size_t k = 0; k < 4; ++k) sum[k] += w[j + k] * static_cast<double>(rows[j + k]);
    for (std::size_t k = 0; j + k < width; ++k) sum[k] += w[j + k] * static_cast<double>(rows[j + k]);
    out[r] = (sum[0] + sum[2]) + (sum[1] + sum[3]) + 0.0;  // -0 becomes 0
  }
}

}  // namespace tunesmith
