// Magnitudes into buckets that are in order, and their ranks within a few neighbouring buckets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/vectors.hpp"

namespace tunesmith {

// The bits of a magnitude: as integers they have the order of the numbers.
inline std::int64_t magnitude_bits(double value) {
  return std::bit_cast<std::int64_t>(value) & 0x7FFFFFFFFFFFFFFF;
}

// From a magnitude to its bucket, larger magnitudes to earlier ones. The bits of (magnitude + typical) are cut
// into equal parts: below a typical magnitude buckets are equally wide, above it equally wide in the logarithm, so
// that normal, exponential and far heavier tails all fill them rather evenly. Adding, subtracting, multiplying and
// cutting off all keep the order, whatever is rounded.
struct BucketMap {
  double typical = 0;
  std::int64_t top = 0;
  int shift = 0;
  std::uint64_t factor = 0;

  std::uint32_t operator()(double magnitude) const {
    const auto distance = static_cast<std::uint64_t>(top - std::bit_cast<std::int64_t>(magnitude + typical));
    return static_cast<std::uint32_t>((distance >> shift) * factor >> 32);
  }
};

// Buckets side by side: bucket b is magnitudes[starts[b]] up to magnitudes[starts[b + 1]]. There are readable
// numbers around them: `margin` in front that are at least as large as all, 2 · margin at the end that are at most
// as small.
struct Buckets {
  static constexpr std::size_t margin = 8;
  BucketMap map;
  const double* magnitudes;
  const std::uint32_t* starts;
};

// For the magnitudes of whole buckets, from place `begin` to place `end`: ranks[i] = first + how many of all are
// larger than the i-th, and sorted[ranks[i]] = magnitudes[i]. Each is compared with all that share a bucket with
// one of its neighbours: quadratic in the size of a bucket, for small ones, and without branches that could be
// guessed wrongly.
void rank_within_buckets(const Buckets& buckets, std::size_t begin, std::size_t end, std::uint32_t first,
                         std::uint32_t* ranks, double* sorted, Vectors vectors);

}  // namespace tunesmith
