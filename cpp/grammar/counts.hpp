// Counts of rules as whole numbers, so that sums do not depend on the order.
#pragma once

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

// The mean count of an occurrence of a rule.
inline std::int64_t share_of(std::int64_t count, std::int64_t occurrences) {
  return (count + occurrences / 2) / occurrences;
}

}  // namespace tunesmith
