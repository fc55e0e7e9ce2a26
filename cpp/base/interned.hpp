// Numbers for keys that are met more than once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/probe.hpp"

namespace tunesmith {

// Keys of N numbers. Equal keys have equal numbers, from 1 on in the order in which they were met; 0 is not a key.
template <std::size_t N>
class Interned {
 public:
  using Key = std::array<std::uint32_t, N>;

  std::uint32_t number(const Key& key) {
    const std::size_t at = place(key);
    if (slots_[at] != 0) return slots_[at];
    keys_.push_back(key);
    const std::uint32_t number = narrow<std::uint32_t>(keys_.size());
    slots_[at] = number;
    if (2 * keys_.size() > slots_.size()) grow();
    return number;
  }
  const Key& operator[](std::uint32_t number) const { return keys_[number - 1]; }
  void clear() {
    keys_.clear();
    slots_.assign(16, 0);
  }

 private:
  std::size_t place(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t part : key) hash = mix(hash, part);
    return probe(slots_, hash, [&](std::uint32_t number) { return number == 0 || keys_[number - 1] == key; });
  }
  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t number = 1; number <= keys_.size(); ++number) slots_[place(keys_[number - 1])] = number;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16);  // numbers by hash, 0: free
};

}  // namespace tunesmith
