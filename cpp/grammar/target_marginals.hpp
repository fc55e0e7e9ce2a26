// Counts of target sides over all rules, gathered by several threads.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "grammar/rule.hpp"

namespace tunesmith {

// A target side by 95 bits of hash: two of a hundred million different sides agree with probability 10^-13.
struct TargetKey {
  std::uint64_t high;
  std::uint32_t low;
};
TargetKey target_key(std::span<const Symbol> target);

// Whether the second gap of the source side comes first in the target side.
bool is_swapped(std::span<const Symbol> target);

// What Kneser-Ney smoothing needs to know of the rules with a target side.
struct TargetRules {
  std::array<std::int64_t, 3> shares{};   // by kind, see smoothing.hpp, in units of `count_unit`
  std::array<std::uint32_t, 2> orders{};  // how many rules have the gaps in order, how many swapped
};

struct TargetMarginal {
  std::uint64_t key = 0;
  std::int64_t count = 0;   // of all rules with this target side, in units of `count_unit`
  std::uint32_t check = 0;  // 0 marks a free slot
};

class TargetMarginals {
 public:
  struct Update {
    TargetKey key;
    std::int64_t count;
    std::int64_t share = 0;  // count / occurrences of the rule
    int kind = 0;            // of the rule, see smoothing.hpp
    bool swapped = false;
  };
  // `with_rules`: also keep what `rules` gives.
  explicit TargetMarginals(bool with_rules = false) : with_rules_(with_rules), shards_(shard_count) {}

  // Sums; the order of calls has no influence. Reorders `updates`.
  void add(std::vector<Update>& updates);
  // All updates must have been made.
  const TargetMarginal& find(const TargetKey& key) const;
  // All 0 where they are not kept.
  TargetRules rules(const TargetKey& key) const;
  std::size_t size() const;

 private:
  static constexpr std::size_t shard_count = 64;
  struct Shard {
    std::mutex mutex;
    std::vector<TargetMarginal> slots = std::vector<TargetMarginal>(256);
    std::vector<TargetRules> rules;  // of the slots
    std::size_t taken = 0;
  };
  static std::size_t shard_of(const TargetKey& key) { return key.high >> 58; }
  static std::size_t slot(const std::vector<TargetMarginal>& slots, std::uint64_t key, std::uint32_t check);
  void grow(Shard& shard) const;

  bool with_rules_;
  std::vector<Shard> shards_;
};

}  // namespace tunesmith
