// Numbers of few magnitudes, such as weights with two decimals: a bucket holds one of them, and tells the rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vectors.hpp"

namespace tunesmith {

// Numbers that were counted into buckets of falling magnitude, but not moved: the i-th is in bucket[i], and of
// `count` buckets those before b hold starts[b] numbers.
struct CountedNumbers {
  const double* values;
  std::size_t size;
  const std::uint32_t* bucket;
  const std::uint32_t* starts;
  std::size_t count;
};

// If no bucket holds two different magnitudes: ranks[b] = first + starts[b] for every bucket, and the magnitudes,
// the largest first, in `sorted`. Otherwise false, and only `magnitudes` was written to: room for one of every
// bucket.
bool rank_few_magnitudes(const CountedNumbers& numbers, std::uint32_t first, std::uint32_t* ranks, double* sorted,
                         double* magnitudes, Vectors vectors);

}  // namespace tunesmith
