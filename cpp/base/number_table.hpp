// Numbers found by keys.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "base/probe.hpp"

namespace tunesmith {

// Keys are any numbers but the largest, such as two words put together. One thread sets, or many find.
class NumberTable {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  std::uint32_t find(std::uint64_t key) const { return slots_[place(key)].number; }
  void set(std::uint64_t key, std::uint32_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    size_ += slot.key == empty;
    slot = {key, number};
  }
  // Adds to the number of the key, which is 0 where it is new.
  void add(std::uint64_t key, std::uint32_t more) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    if (slot.key == empty) {
      slot = {key, 0};
      ++size_;
    }
    slot.number += more;
  }
  std::size_t size() const { return size_; }

  // Calls `visit(key, number)` for every key, in no order that means anything.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.key != empty) visit(slot.key, slot.number);
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = empty;
    std::uint32_t number = none;
  };
  std::size_t place(std::uint64_t key) const {
    return probe(slots_, mix(key, 0), [&](const Slot& slot) { return slot.key == key || slot.key == empty; });
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != empty) slots_[place(slot.key)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t size_ = 0;
};

}  // namespace tunesmith
