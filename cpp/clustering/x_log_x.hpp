// T(n) = n ln n, the term of every sum of counts in a likelihood (SPEC: T[i] = i·ln i in doubles).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tunesmith {

class XLogX {
 public:
  // largest: the largest count that will be asked for often; larger ones are computed each time.
  explicit XLogX(std::int64_t largest) : table_(static_cast<std::size_t>(std::min(largest, most)) + 1) {
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = compute(i);
  }
  double operator()(std::uint64_t n) const { return n < table_.size() ? table_[n] : compute(n); }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 20;  // 8 MiB
  static double compute(std::uint64_t n) {
    return n == 0 ? 0.0 : static_cast<double>(n) * std::log(static_cast<double>(n));
  }
  std::vector<double> table_;
};

}  // namespace tunesmith
