// Counts of rules as whole numbers, so that sums do not depend on the order.
#pragma once

#include <cstdint>

namespace tunesmith {

// A count of 1: the least common multiple of 1 to 28, so that the shares of up to 28 rules are exact and sums of
// them that should be equal are. Others are rounded to a multiple of 1 / count_unit. Sums stay exact up to 114
// million.
inline constexpr std::int64_t count_unit = 80'313'433'200;

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
