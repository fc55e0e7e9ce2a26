// Keys of n-grams and words. They are in binary files, whose header has a fingerprint of these functions: a file
// made with others is refused.
#pragma once

#include <cstdint>
#include <string_view>

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

// Of a word of up to eight bytes one to one among words of its length, so that it need not be compared.
inline std::uint64_t word_key(std::string_view word) {
  return key_bytes(word);
}

// Where the search for a word begins, before it is cut to the size of the table.
inline std::uint64_t word_place(std::uint64_t key, std::uint64_t length) {
  return mix(key, length);
}

inline std::uint64_t hashing_fingerprint() {
  Key sum = extend_key(extend_key(first_key(3), 65537), 5);
  for (const std::string_view word : {"a", "the", "Katze", "language", "fingerprint of more than two words"})
    sum = extend_key(sum ^ word_key(word), static_cast<std::uint32_t>(word_place(word_key(word), word.size())));
  return sum;
}

}  // namespace tunesmith::lm
