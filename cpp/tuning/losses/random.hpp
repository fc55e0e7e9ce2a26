// Random numbers that are the same on every machine, with every compiler and for every number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tunesmith {

// SplitMix64 (Steele et al. 2014). One stream for each (seed, index), so that work on one sentence does
// not depend on how many numbers another one drew.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t index = 0) : state_(mix(seed) ^ mix(~index)) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }

  // Uniform over [0, size), size > 0. The multiply-shift of Lemire (2019) without rejection: the bias is below
  // size / 2^32, far below what a sample of pairs can show.
  std::uint32_t below(std::uint32_t size) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(size)) >> 32);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

// Fisher and Yates.
template <class T>
void shuffle(std::span<T> items, Random& random) {
  for (std::size_t left = items.size(); left > 1; --left)
    std::swap(items[left - 1], items[random.below(static_cast<std::uint32_t>(left))]);
}

}  // namespace tunesmith
