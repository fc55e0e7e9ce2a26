// Weights of several sparse features at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/sparse_numbers.hpp"

namespace tunesmith {

// The sum so far and the weights of these keys, added in their order; a key without a number, or whose number has
// no weight, adds nothing. Tables are larger than the caches: what is needed is asked for before it is read.
template <std::size_t most>
double add_weights(double sum, std::span<const std::uint64_t> keys, const SparseNumbers& ids,
                   std::span<const double> weights) {
  std::array<std::uint32_t, most> numbers;
  ids.find_all(keys, numbers);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (numbers[i] < weights.size()) __builtin_prefetch(&weights[numbers[i]]);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (numbers[i] < weights.size()) sum += weights[numbers[i]];
  return sum;
}

}  // namespace tunesmith
