// Keys of n-grams. Part of the binary format: a change asks for a new version there.
#pragma once

#include <cstdint>

#include "base/hash.hpp"

namespace tunesmith::lm {

// An n-gram is found by a 64-bit key alone, made from its last word on to the left: the key of w1 … wn is
// extend_key(key of w2 … wn, w1), so both a longer context and a word that comes to stand on the left are one
// step. Two different n-grams of one model would share a key with a chance of 10⁻⁴ for 10⁸ n-grams; building
// notices it.
using Key = std::uint64_t;

inline Key first_key(std::uint32_t word) {
  return word;
}

inline Key extend_key(Key key, std::uint32_t word) {
  const Key mixed = mix(key, static_cast<std::uint64_t>(word) + 0x5851F42D4C957F2Du);
  return mixed + (mixed == 0);  // 0 is an empty slot
}

}  // namespace tunesmith::lm
