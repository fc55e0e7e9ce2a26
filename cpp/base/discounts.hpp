// Discounts of modified Kneser-Ney smoothing, for n-grams and for rules.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tunesmith {

// What is taken from a count of 1, 2, and 3 or more; or the reason why that cannot be estimated.
struct DiscountEstimate {
  std::array<double, 3> amount{};
  std::string failure;  // empty where every discount lies in (0, count]
};

// Chen and Goodman (1998), equation (26). `with_count[i]`: how many things have the count i, from 1 to 4. `thing`
// is one of them in the reason, such as "n-gram".
DiscountEstimate estimate_discounts(const std::array<std::uint64_t, 5>& with_count, const std::string& thing);

}  // namespace tunesmith
