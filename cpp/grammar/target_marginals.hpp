// Counts of target sides over all rules, gathered by several threads.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "grammar/rule.hpp"

namespace tunesmith {

// A target side by 96 bits of hash: two of a hundred million different sides agree with probability 10^-13.
struct TargetKey {
  std::uint64_t high;
  std::uint32_t low;
};
TargetKey target_key(std::span<const Symbol> target);

// How many rules with a side occur once, twice, more often.
using Kinds = std::array<std::uint32_t, 3>;

struct TargetMarginal {
  std::uint64_t key = 0;
  std::int64_t count = 0;     // of all rules with this target side, in units of `count_unit`
  std::uint32_t check = 0;    // 0 marks a free slot
  std::uint32_t sources = 0;  // rules with this target side
};

class TargetMarginals {
 public:
  struct Update {
    TargetKey key;
    std::int64_t count;
    int kind;  // 0, 1, 2: the rule counts once, twice, more often
  };
  // `with_kinds`: also keep the kinds of the rules.
  explicit TargetMarginals(bool with_kinds = false) : with_kinds_(with_kinds), shards_(shard_count) {}

  // Sums; the order of calls has no influence. Reorders `updates`.
  void add(std::vector<Update>& updates);
  // All updates must have been made.
  const TargetMarginal& find(const TargetKey& key) const;
  // All 0 where they are not kept.
  Kinds kinds(const TargetKey& key) const;
  std::size_t size() const;

 private:
  static constexpr std::size_t shard_count = 64;
  struct Shard {
    std::mutex mutex;
    std::vector<TargetMarginal> slots = std::vector<TargetMarginal>(256);
    std::vector<Kinds> kinds;  // of the slots
    std::size_t taken = 0;
  };
  static std::size_t shard_of(const TargetKey& key) { return key.high >> 58; }
  static std::size_t slot(const std::vector<TargetMarginal>& slots, std::uint64_t key, std::uint32_t check);
  void grow(Shard& shard) const;

  bool with_kinds_;
  std::vector<Shard> shards_;
};

}  // namespace tunesmith
