// Records of rule occurrences, divided by the order of their source sides; beyond a limit of memory on disk.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grammar/collection/spilled_parts.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// The first four symbols of a source side as numbers that sort as the side does (gaps before words, a shorter side
// before a longer one that begins with it).
struct SourceKey {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const SourceKey&) const = default;
};

inline SourceKey source_key(std::span<const Symbol> source) {
  const auto part = [&](std::size_t i) -> std::uint64_t {
    return i < source.size() ? static_cast<std::uint32_t>(source[i]) ^ 0x80000000u : 0;
  };
  return {part(0) << 32 | part(1), part(2) << 32 | part(3)};
}

// One occurrence as 32-bit words: sizes, number of the sentence pair, shared_by with the orientation in the four
// highest bits, symbols, links two to a word.
struct Record {
  const std::uint32_t* at;
  static constexpr std::size_t header = 3;

  std::size_t source_size() const { return at[0] & 0xFF; }
  std::size_t target_size() const { return at[0] >> 8 & 0xFF; }
  std::size_t link_count() const { return at[0] >> 16; }
  std::uint32_t pair() const { return at[1]; }
  std::uint32_t shared_by() const { return at[2] & most_sharing; }
  std::size_t orientation_before() const { return at[2] >> 28 & 3; }
  std::size_t orientation_after() const { return at[2] >> 30; }
  const Symbol* symbols() const { return reinterpret_cast<const Symbol*>(at + header); }
  std::span<const Symbol> source() const { return {symbols(), source_size()}; }
  std::span<const Symbol> target() const { return {symbols() + source_size(), target_size()}; }
  std::span<const RuleLink> links() const {
    return {reinterpret_cast<const RuleLink*>(symbols() + source_size() + target_size()), link_count()};
  }
  std::size_t words() const { return header + source_size() + target_size() + (link_count() + 1) / 2; }
};

// A record of an occurrence without sentence pair and count: a rule that was made up, not seen.
inline constexpr std::uint32_t no_pair = 0xFFFFFFFFu;

void append_record(const RuleView& rule, std::uint32_t pair, std::uint32_t shared_by,
                   std::vector<std::uint32_t>& out, std::uint8_t orientation = 0);

// Records divided by the order of their source sides.
class RecordParts : public SpilledParts<std::uint32_t> {
 public:
  // Part i takes the source sides from splits[i - 1] on, below splits[i]; `splits` rise. Records are appended
  // whole; those of one sentence pair come in one call per part, so that they stay together.
  RecordParts(std::vector<SourceKey> splits, const std::string& folder, std::size_t limit)
      : SpilledParts(splits.size() + 1, folder + "/part-", limit), splits_(std::move(splits)) {}

  std::size_t part_of(const SourceKey& key) const;

 private:
  std::vector<SourceKey> splits_;
};

}  // namespace tunesmith
