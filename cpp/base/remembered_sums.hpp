// Sums that are computed once for each key.
#pragma once

#include <cstdint>
#include <vector>

#include "base/narrow.hpp"
#include "base/number_table.hpp"

namespace tunesmith {

class RememberedSums {
 public:
  // What `compute()` gave when the key was first asked for.
  template <class Compute>
  double of(std::uint64_t key, Compute compute) {
    if (const std::uint32_t place = places_.find(key); place != NumberTable::none) return sums_[place];
    const double sum = compute();
    places_.set(key, narrow<std::uint32_t>(sums_.size()));
    sums_.push_back(sum);
    return sum;
  }

 private:
  NumberTable places_;
  std::vector<double> sums_;
};

}  // namespace tunesmith
