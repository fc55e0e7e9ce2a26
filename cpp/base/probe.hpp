// Open addressing with linear probing: the one loop of all hash tables whose slots are a power of two.
//
// What a slot holds is the table's own affair, because it decides how many of them a cache line has: a number
// alone where keys are compared elsewhere (coverages, applications, candidates to merge), half a hash and a number
// where a comparison costs a cache miss (words, rules), the whole key where it is short (pairs of numbers, sides
// by 96 bits). Tables differ too in how they become empty: by filling them, or by a new generation
// (recombination). Tables of language models are another kind: homes rise with keys, so that a file can be written
// in the order of keys (lm/tables.hpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tunesmith {

// The first slot from that of `hash` on where `ends(slot)` holds: a free one, or the slot searched for. One
// slot at least must be free. Inlined always: as a call it costs a sixth more instructions for a word.
template <class Slots, class Ends>
[[gnu::always_inline]] inline std::size_t probe(const Slots& slots, std::uint64_t hash, Ends ends) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (!ends(slots[at])) at = (at + 1) & mask;
  return at;
}

// How many slots a table of `entries` has, of which at most half are taken.
inline std::size_t slots_for(std::size_t entries) {
  return std::bit_ceil(2 * entries + 1);
}

}  // namespace tunesmith
