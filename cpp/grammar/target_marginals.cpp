#include "grammar/target_marginals.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace tunesmith {

TargetKey target_key(std::span<const Symbol> target) {
  std::uint64_t high = target.size(), low = 0x5851F42D4C957F2Du;
  for (const Symbol symbol : target) {
    // Gaps are alike here: conditioned on a target side, the source sides differ by which gap is filled from
    // where.
    const auto value = static_cast<std::uint64_t>(static_cast<std::uint32_t>(is_gap(symbol) ? first_gap : symbol));
    high = mix(high, value);
    low = mix(low ^ value, 0xA0761D6478BD642Fu);
  }
  return {high, static_cast<std::uint32_t>(low | 1)};  // 0 marks a free slot
}

bool is_swapped(std::span<const Symbol> target) {
  const auto gap = std::find_if(target.begin(), target.end(), is_gap);
  return gap != target.end() && *gap == second_gap;
}

// The slot of a key, or the free one where it belongs. Shards are chosen by the upper six bits, slots by the
// others.
std::size_t TargetMarginals::slot(const std::vector<TargetMarginal>& slots, std::uint64_t key,
                                  std::uint32_t check) {
  __extension__ using Wide = unsigned __int128;
  auto at = static_cast<std::size_t>(static_cast<Wide>(key << 6) * slots.size() >> 64);
  while (slots[at].check != 0 && (slots[at].key != key || slots[at].check != check))
    if (++at == slots.size()) at = 0;
  return at;
}

// By little, since this table is the largest thing in memory: between 57 and 80 of 100 slots are taken.
void TargetMarginals::grow(Shard& shard) const {
  std::vector<TargetMarginal> larger(shard.slots.size() * 7 / 5);
  std::vector<TargetRules> rules(with_rules_ ? larger.size() : 0);
  for (std::size_t i = 0; i < shard.slots.size(); ++i) {
    if (shard.slots[i].check == 0) continue;
    const std::size_t at = slot(larger, shard.slots[i].key, shard.slots[i].check);
    larger[at] = shard.slots[i];
    if (with_rules_) rules[at] = shard.rules[i];
  }
  shard.slots = std::move(larger);
  shard.rules = std::move(rules);
}

void TargetMarginals::add(std::vector<Update>& updates) {
  std::sort(updates.begin(), updates.end(),
            [](const Update& a, const Update& b) { return shard_of(a.key) < shard_of(b.key); });
  for (std::size_t i = 0; i < updates.size();) {
    const std::size_t number = shard_of(updates[i].key);
    Shard& shard = shards_[number];
    const std::scoped_lock lock(shard.mutex);
    if (with_rules_) shard.rules.resize(shard.slots.size());
    for (; i < updates.size() && shard_of(updates[i].key) == number; ++i) {
      const Update& update = updates[i];
      const std::size_t at = slot(shard.slots, update.key.high, update.key.low);
      TargetMarginal& found = shard.slots[at];
      if (found.check == 0) {
        found.key = update.key.high;
        found.check = update.key.low;
        ++shard.taken;
      }
      found.count += update.count;
      if (with_rules_) {
        TargetRules& rules = shard.rules[at];
        rules.shares[static_cast<std::size_t>(update.kind)] += update.share;
        ++rules.orders[update.swapped ? 1 : 0];
      }
      if (5 * shard.taken > 4 * shard.slots.size()) grow(shard);
    }
  }
}

const TargetMarginal& TargetMarginals::find(const TargetKey& key) const {
  const Shard& shard = shards_[shard_of(key)];
  return shard.slots[slot(shard.slots, key.high, key.low)];
}

TargetRules TargetMarginals::rules(const TargetKey& key) const {
  const Shard& shard = shards_[shard_of(key)];
  const std::size_t at = slot(shard.slots, key.high, key.low);
  return at < shard.rules.size() ? shard.rules[at] : TargetRules{};
}

std::size_t TargetMarginals::size() const {
  std::size_t all = 0;
  for (const Shard& shard : shards_) all += shard.taken;
  return all;
}

}  // namespace tunesmith
