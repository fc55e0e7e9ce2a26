// What a language model must remember of the words so far: as little as the model allows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/hash.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

// The longest run of last words that some n-gram of the model begins with or that has a back-off, nearest first.
// Two histories with equal states are scored alike for ever. Compared and hashed by its words alone: the back-offs
// follow from them.
struct State {
  std::uint32_t words[max_order - 1];
  float backoffs[max_order - 1];  // log10 back-off of the n-gram of words[i] … words[0]
  std::uint32_t length = 0;

  friend bool operator==(const State& a, const State& b) {
    return a.length == b.length && std::equal(a.words, a.words + a.length, b.words);
  }
  std::uint64_t hash(std::uint64_t seed = 0) const {
    seed = mix(seed, length);
    for (std::uint32_t i = 0; i < length; ++i) seed = mix(seed, words[i]);
    return seed;
  }
};

}  // namespace tunesmith::lm
