// Counts of rules as whole numbers, so that sums do not depend on the order.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tunesmith {

// A count of 1. Shares are rounded to multiples of 2^-36; sums stay exact up to 134 million.
inline constexpr std::int64_t count_unit = std::int64_t{1} << 36;

// The count of an occurrence that shares 1 with others; 0 for a rule that was made up.
inline std::int64_t count_of(std::uint32_t shared_by) {
  return shared_by == 0 ? 0 : (count_unit + shared_by / 2) / shared_by;
}

inline double as_double(std::int64_t count) {
  return static_cast<double>(count) / static_cast<double>(count_unit);
}

// 1, 2, … 10: the count rounded up, forgiving what the rounding of shares adds.
inline std::size_t count_bin(std::int64_t count) {
  constexpr std::int64_t forgiven = count_unit >> 16;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>((count + count_unit - 1 - forgiven) / count_unit, 1, 10));
}

// 0, 1, 2: once, twice, more often.
inline int count_kind(std::int64_t count) {
  return static_cast<int>(std::min<std::size_t>(count_bin(count), 3)) - 1;
}

}  // namespace tunesmith
