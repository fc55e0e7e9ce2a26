// Discounts of modified Kneser-Ney smoothing, one set for each order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tunesmith::lm {

// How many n-grams of one order there are, and how many have an (adjusted) count of 1, 2, 3, 4.
struct CountsOfCounts {
  std::uint64_t total = 0, kept = 0;  // kept: not pruned
  std::array<std::uint64_t, 5> with_count{};

  void add(std::uint64_t count, bool is_kept) {
    ++total;
    kept += is_kept;
    if (count < with_count.size()) ++with_count[count];
  }
  void add(const CountsOfCounts& more) {
    total += more.total;
    kept += more.kept;
    for (std::size_t count = 0; count < with_count.size(); ++count) with_count[count] += more.with_count[count];
  }
};

// What is taken from a count of 1, 2, and 3 or more.
struct Discounts {
  std::array<double, 3> amount{};
  std::string fallback_reason;  // empty where they were estimated

  double of(std::uint64_t count) const { return count == 0 ? 0 : amount[count < 3 ? count - 1 : 2]; }
};

using Fallback = std::optional<std::array<double, 3>>;

// Estimates as base/discounts.hpp says. Where the counts do not allow it, `fallback` is used and the reason kept;
// without a fallback that is an error.
Discounts estimate_discounts(int order, const CountsOfCounts& counts, const Fallback& fallback);

}  // namespace tunesmith::lm
