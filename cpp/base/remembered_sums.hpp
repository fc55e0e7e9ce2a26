// Sums that are computed once for each key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"
#include "base/memory/large_pages.hpp"
#include "base/probe.hpp"

namespace tunesmith {

// Keys are any numbers but the largest. A sum lies next to its key: one that is known is one access to memory.
class RememberedSums {
 public:
  // Sums that are worth keeping for more than one sentence; a table of more would take too much memory.
  static constexpr std::size_t most = std::size_t{1} << 18;

  // What `compute()` gave when the key was first asked for. It may ask for other keys.
  template <class Compute>
  double of(std::uint64_t key, Compute compute) {
    if (const Slot& slot = slots_[place(key)]; slot.key == key) return slot.sum;
    const double sum = compute();
    if (2 * (size_ + 1) > slots_.size()) grow();
    slots_[place(key)] = {key, sum};
    ++size_;
    return sum;
  }
  std::size_t size() const { return size_; }
  // Forgets all of them; there is room for as many at once.
  void clear() {
    slots_.assign(slots_for(size_ + 7), free);
    size_ = 0;
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key;
    double sum;
  };
  static constexpr Slot free{empty, 0};
  std::size_t place(std::uint64_t key) const {
    return probe(slots_, mix(key, 0), [&](const Slot& slot) { return slot.key == key || slot.key == empty; });
  }
  void grow() {
    LargeVector<Slot> old(2 * slots_.size(), free);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != empty) slots_[place(slot.key)] = slot;
  }

  LargeVector<Slot> slots_ = LargeVector<Slot>(16, free);
  std::size_t size_ = 0;
};

}  // namespace tunesmith
