// Numbers found by keys, many at a time, where most of the keys that are asked for have none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/memory/large_pages.hpp"
#include "base/number_table.hpp"

namespace tunesmith {

// What NumberTable does, for tables that are larger than the caches. Each slot has a byte besides: 0 where it is
// free, else a part of the hash of its key. Nearly always these bytes alone say that a key is not there, and they
// are a sixteenth of the slots. One thread sets, or many find.
class SparseNumbers {
 public:
  static constexpr std::uint32_t none = NumberTable::none;

  std::uint32_t find(std::uint64_t key) const { return find_from(mix(key, 0), key, mix(key, 0)); }
  void set(std::uint64_t key, std::uint32_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    put({key, number});
  }
  std::size_t size() const { return size_; }

  // The numbers of these keys, at most as many as `numbers` has. Memory is waited for once for all of them.
  template <std::size_t most>
  void find_all(std::span<const std::uint64_t> keys, std::array<std::uint32_t, most>& numbers) const {
    std::array<std::uint64_t, most> hashes;
    std::array<std::size_t, most> places;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      hashes[i] = mix(keys[i], 0);
      __builtin_prefetch(&tags_[hashes[i] & mask()]);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      places[i] = candidate(hashes[i], hashes[i]);
      if (tags_[places[i]] != 0) __builtin_prefetch(&slots_[places[i]]);
    }
    for (std::size_t i = 0; i < keys.size(); ++i)
      numbers[i] = tags_[places[i]] == 0 ? none : find_from(places[i], keys[i], hashes[i]);
  }

  // Calls `visit(key, number)` for every key, in no order that means anything.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t at = 0; at < slots_.size(); ++at)
      if (tags_[at] != 0) visit(slots_[at].key, slots_[at].number);
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  static std::uint8_t tag(std::uint64_t hash) { return static_cast<std::uint8_t>(0x80u | hash >> 57); }
  // The first slot from `at` on that is free or may be that of the key.
  std::size_t candidate(std::uint64_t at, std::uint64_t hash) const {
    const std::uint8_t wanted = tag(hash);
    at &= mask();
    while (tags_[at] != 0 && tags_[at] != wanted) at = (at + 1) & mask();
    return at;
  }
  std::uint32_t find_from(std::uint64_t at, std::uint64_t key, std::uint64_t hash) const {
    at = candidate(at, hash);
    while (tags_[at] != 0 && slots_[at].key != key) at = candidate(at + 1, hash);
    return tags_[at] == 0 ? none : slots_[at].number;
  }
  void put(const Slot& slot) {
    const std::uint64_t hash = mix(slot.key, 0);
    std::size_t at = candidate(hash, hash);
    while (tags_[at] != 0 && slots_[at].key != slot.key) at = candidate(at + 1, hash);
    size_ += tags_[at] == 0;
    tags_[at] = tag(hash);
    slots_[at] = slot;
  }
  void grow() {
    LargeVector<Slot> slots(2 * slots_.size());
    std::vector<std::uint8_t> tags(2 * tags_.size());
    slots.swap(slots_);
    tags.swap(tags_);
    size_ = 0;
    for (std::size_t at = 0; at < slots.size(); ++at)
      if (tags[at] != 0) put(slots[at]);
  }

  LargeVector<Slot> slots_ = LargeVector<Slot>(16);
  std::vector<std::uint8_t> tags_ = std::vector<std::uint8_t>(16);
  std::size_t size_ = 0;
};

}  // namespace tunesmith
