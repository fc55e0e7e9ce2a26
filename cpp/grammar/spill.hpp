// Records of rule occurrences, divided by the order of their source sides; beyond a limit of memory on disk.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

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

// One occurrence as 32-bit words: sizes, number of the sentence pair, shared_by, symbols, links two to a word.
struct Record {
  const std::uint32_t* at;
  static constexpr std::size_t header = 3;

  std::size_t source_size() const { return at[0] & 0xFF; }
  std::size_t target_size() const { return at[0] >> 8 & 0xFF; }
  std::size_t link_count() const { return at[0] >> 16; }
  std::uint32_t pair() const { return at[1]; }
  std::uint32_t shared_by() const { return at[2]; }
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
                   std::vector<std::uint32_t>& out);

class RecordParts {
 public:
  // Part i takes the source sides from splits[i - 1] on, below splits[i]; `splits` rise. At most about `limit`
  // bytes are kept in memory, the rest in files of `folder`.
  RecordParts(std::vector<SourceKey> splits, std::string folder, std::size_t limit);

  std::size_t size() const { return parts_.size(); }
  std::size_t part_of(const SourceKey& key) const;
  // Appends whole records. Records of one sentence pair come in one call per part, so that they stay together.
  void append(std::size_t part, std::vector<std::uint32_t>&& records);
  // The records of a part, in no particular order of sentence pairs; the part is empty afterwards.
  std::vector<std::uint32_t> take(std::size_t part);
  std::uint64_t spilled_bytes() const { return spilled_; }

 private:
  struct Part {
    std::vector<std::vector<std::uint32_t>> blocks;
    std::uint64_t on_disk = 0;  // words
  };
  void spill();
  std::string path(std::size_t part) const { return folder_ + "/part-" + std::to_string(part); }

  std::vector<SourceKey> splits_;
  std::vector<Part> parts_;
  std::string folder_;
  std::size_t limit_, held_ = 0;
  std::uint64_t spilled_ = 0;
  std::mutex mutex_;
};

}  // namespace tunesmith
