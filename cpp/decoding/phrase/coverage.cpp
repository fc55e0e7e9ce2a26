#include "decoding/phrase/coverage.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"
#include "base/probe.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t most_width = CoverageSet::longest_reach / 64 + 1;

void shift_down(std::uint64_t* bits, std::size_t width, std::uint32_t count) {
  const std::size_t whole = count / 64, part = count % 64;
  for (std::size_t i = 0; i < width; ++i) {
    std::uint64_t low = i + whole < width ? bits[i + whole] : 0;
    if (part > 0) low = low >> part | (i + whole + 1 < width ? bits[i + whole + 1] << (64 - part) : 0);
    bits[i] = low;
  }
}

}  // namespace

void CoverageSet::reset(std::size_t reach) {
  width_ = std::min<std::size_t>(reach, longest_reach) / 64 + 1;
  gaps_.assign(1, 0);
  bits_.assign(width_, 0);
  slots_.assign(256, empty);
  slots_[hash(0, bits_.data()) & (slots_.size() - 1)] = 0;
}

std::uint32_t CoverageSet::reach(CoverageId id) const {
  for (std::size_t i = width_; i-- > 0;)
    if (const std::uint64_t word = bits_[id * width_ + i]; word != 0)
      return static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::bit_width(word));
  return 0;
}

std::uint64_t CoverageSet::hash(std::uint32_t gap, const std::uint64_t* bits) const {
  std::uint64_t hash = gap;
  for (std::size_t i = 0; i < width_; ++i) hash = mix(hash, bits[i]);
  return hash;
}

void CoverageSet::grow() {
  slots_.assign(slots_.size() * 2, empty);
  for (CoverageId id = 0; id < gaps_.size(); ++id)
    slots_[probe(slots_, hash(gaps_[id], bits(id).data()), [](CoverageId known) { return known == empty; })] = id;
}

CoverageId CoverageSet::extend(CoverageId id, std::uint32_t begin, std::uint32_t end) {
  std::uint64_t made[most_width];
  std::copy_n(bits_.data() + id * width_, width_, made);
  std::uint32_t gap = gaps_[id];
  if (begin == gap) {
    shift_down(made, width_, end - gap);
    gap = end;
    while ((made[0] & 1) != 0) {
      const auto ones = std::min<std::uint32_t>(static_cast<std::uint32_t>(std::countr_one(made[0])), 63);
      shift_down(made, width_, ones);
      gap += ones;
    }
  } else {
    for (std::uint32_t offset = begin - gap; offset < end - gap; ++offset)
      made[offset / 64] |= std::uint64_t{1} << offset % 64;
  }
  if (2 * gaps_.size() >= slots_.size()) grow();
  const std::size_t at = probe(slots_, hash(gap, made), [&](CoverageId known) {
    return known == empty || (gaps_[known] == gap && std::equal(made, made + width_, bits(known).data()));
  });
  if (slots_[at] != empty) return slots_[at];
  slots_[at] = static_cast<CoverageId>(gaps_.size());
  gaps_.push_back(gap);
  bits_.insert(bits_.end(), made, made + width_);
  return slots_[at];
}

}  // namespace tunesmith
