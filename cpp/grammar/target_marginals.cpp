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

TargetMarginal& TargetMarginals::slot(std::vector<TargetMarginal>& slots, std::uint64_t key, std::uint32_t check) {
  std::size_t at = key & (slots.size() - 1);
  while (slots[at].check != 0 && (slots[at].key != key || slots[at].check != check))
    at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

void TargetMarginals::add(std::vector<Update>& updates) {
  std::sort(updates.begin(), updates.end(),
            [](const Update& a, const Update& b) { return shard_of(a.key) < shard_of(b.key); });
  for (std::size_t i = 0; i < updates.size();) {
    Shard& shard = shards_[shard_of(updates[i].key)];
    const std::scoped_lock lock(shard.mutex);
    for (const std::size_t number = shard_of(updates[i].key);
         i < updates.size() && shard_of(updates[i].key) == number; ++i) {
      TargetMarginal& found = slot(shard.slots, updates[i].key.high, updates[i].key.low);
      if (found.check == 0) {
        found.key = updates[i].key.high;
        found.check = updates[i].key.low;
        ++shard.taken;
      }
      found.count += updates[i].count;
      ++found.sources[static_cast<std::size_t>(updates[i].kind)];
      if (4 * shard.taken > 3 * shard.slots.size()) {
        std::vector<TargetMarginal> larger(2 * shard.slots.size());
        for (const TargetMarginal& entry : shard.slots)
          if (entry.check != 0) slot(larger, entry.key, entry.check) = entry;
        shard.slots = std::move(larger);
      }
    }
  }
}

const TargetMarginal& TargetMarginals::find(const TargetKey& key) const {
  auto& slots = const_cast<std::vector<TargetMarginal>&>(shards_[shard_of(key)].slots);
  return slot(slots, key.high, key.low);
}

std::size_t TargetMarginals::size() const {
  std::size_t all = 0;
  for (const Shard& shard : shards_) all += shard.taken;
  return all;
}

}  // namespace tunesmith
