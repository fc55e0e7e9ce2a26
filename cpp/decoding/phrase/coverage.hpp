// Which source words are translated: the coverages that the search of one sentence meets, each with a number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/search/covered_words.hpp"

namespace tunesmith {

using CoverageId = std::uint32_t;

// All words in front of the first gap are covered, and of those after it the ones whose bits are set. The
// distortion limit says how far beyond the gap a covered word can be; so a few bits are enough for sentences of
// any length, and with limits below 64 they are one word of memory.
class CoverageSet {
 public:
  static constexpr std::uint32_t longest_reach = 255;

  // reach: how many words beyond the first gap can be covered, at most longest_reach. Number 0 covers nothing.
  void reset(std::size_t reach);

  std::uint32_t gap(CoverageId id) const { return gaps_[id]; }
  // Valid until the next extend().
  CoveredWords words(CoverageId id) const { return {gaps_[id], bits(id)}; }
  // Whether the word gap(id) + offset is covered.
  bool covers(CoverageId id, std::uint32_t offset) const {
    return offset / 64 < width_ && (bits_[id * width_ + offset / 64] >> offset % 64 & 1) != 0;
  }
  // The number of words after the first gap up to the last one covered.
  std::uint32_t reach(CoverageId id) const;
  // The same and words [begin, end), none of which is covered, in addition.
  CoverageId extend(CoverageId id, std::uint32_t begin, std::uint32_t end);
  std::size_t size() const { return gaps_.size(); }
  std::size_t bytes() const { return gaps_.size() * (sizeof(std::uint32_t) + width_ * sizeof(std::uint64_t)); }

 private:
  static constexpr std::uint32_t empty = 0xFFFFFFFFu;

  std::span<const std::uint64_t> bits(CoverageId id) const { return {bits_.data() + id * width_, width_}; }
  std::uint64_t hash(std::uint32_t gap, const std::uint64_t* bits) const;
  void grow();

  std::size_t width_ = 1;  // words of 64 bits
  std::vector<std::uint32_t> gaps_;
  std::vector<std::uint64_t> bits_;
  std::vector<CoverageId> slots_;
};

}  // namespace tunesmith
