// Numbers found by keys.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.hpp"

namespace tunesmith {

// Keys are any numbers but the largest, such as two words put together. One thread sets, or many find.
class NumberTable {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  std::uint32_t find(std::uint64_t key) const {
    for (std::size_t at = mix(key, 0) & mask();; at = (at + 1) & mask()) {
      if (slots_[at].key == key) return slots_[at].number;
      if (slots_[at].key == empty) return none;
    }
  }
  void set(std::uint64_t key, std::uint32_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = place(key);
    size_ += slot.key == empty;
    slot = {key, number};
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = empty;
    std::uint32_t number = none;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  Slot& place(std::uint64_t key) {
    std::size_t at = mix(key, 0) & mask();
    while (slots_[at].key != empty && slots_[at].key != key) at = (at + 1) & mask();
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != empty) place(slot.key) = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t size_ = 0;
};

}  // namespace tunesmith
