// Sums that are computed once for each key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/narrow.hpp"
#include "base/number_table.hpp"

namespace tunesmith {

class RememberedSums {
 public:
  // Sums that are worth keeping for more than one sentence; a table of more would take too much memory.
  static constexpr std::size_t most = std::size_t{1} << 18;

  // What `compute()` gave when the key was first asked for.
  template <class Compute>
  double of(std::uint64_t key, Compute compute) {
    if (const std::uint32_t place = places_.find(key); place != NumberTable::none) return sums_[place];
    const double sum = compute();
    places_.set(key, narrow<std::uint32_t>(sums_.size()));
    sums_.push_back(sum);
    return sum;
  }
  std::size_t size() const { return sums_.size(); }

 private:
  NumberTable places_;
  std::vector<double> sums_;
};

}  // namespace tunesmith
