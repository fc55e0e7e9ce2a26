// Which source words are translated already, as features of left-to-right search see it.
#pragma once

#include <cstdint>
#include <span>

namespace tunesmith {

// All words in front of the first gap, and of those from the gap on the ones whose bits are set.
struct CoveredWords {
  std::uint32_t gap = 0;
  std::span<const std::uint64_t> bits;

  bool operator[](std::uint32_t word) const {
    if (word < gap) return true;
    const std::uint32_t offset = word - gap;
    return offset / 64 < bits.size() && (bits[offset / 64] >> offset % 64 & 1) != 0;
  }
};

}  // namespace tunesmith
