// Different words, numbered from 0 in the order they come. Exact: words are found by hash and then compared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/probe.hpp"

namespace tunesmith {

using WordId = std::int32_t;

class WordTable {
 public:
  static constexpr WordId none = -1;

  WordTable() : slots_(16), begins_{0} {}

  // The number of `word`, new or not. Amortised cost: the length of the word.
  WordId add(std::string_view word) {
    const std::uint64_t hash = hash_bytes(word);
    Slot* slot = find_slot(word, hash);
    if (slot->id != none) return slot->id;
    if (size() == static_cast<std::size_t>(std::numeric_limits<WordId>::max()))
      throw Error("more than 2147483647 different words");
    const auto id = static_cast<WordId>(size());
    text_.append(word);
    begins_.push_back(text_.size());
    *slot = {static_cast<std::uint32_t>(hash >> 32), id};
    if (2 * size() > slots_.size()) rehash(2 * slots_.size());
    return id;
  }

  // Room for this many words of this many bytes together.
  void reserve(std::size_t words, std::size_t bytes) {
    begins_.reserve(words + 1);
    text_.reserve(bytes);
    if (2 * words > slots_.size()) rehash(std::bit_ceil(2 * words));
  }

  // The number of `word`, or `none`.
  WordId find(std::string_view word) const {
    return const_cast<WordTable*>(this)->find_slot(word, hash_bytes(word))->id;
  }

  // Prefetches the place of `word`, which is about to be added or searched.
  void prefetch(std::string_view word) const {
    __builtin_prefetch(&slots_[hash_bytes(word) & (slots_.size() - 1)]);
  }

  std::string_view word(WordId id) const {
    const auto at = static_cast<std::size_t>(id);
    return std::string_view(text_).substr(begins_[at], begins_[at + 1] - begins_[at]);
  }

  std::size_t size() const { return begins_.size() - 1; }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // upper half; the lower one chose the slot
    WordId id = none;
  };

  // The slot of `word`, or the free one where it belongs. At most half of the slots are taken.
  Slot* find_slot(std::string_view wanted, std::uint64_t hash) {
    const auto upper = static_cast<std::uint32_t>(hash >> 32);
    return &slots_[probe(slots_, hash, [&](const Slot& slot) {
      return slot.id == none || (slot.hash == upper && word(slot.id) == wanted);
    })];
  }

  void rehash(std::size_t slots) {
    slots_.assign(slots, Slot{});
    for (std::size_t id = 0; id < size(); ++id) {
      const std::uint64_t hash = hash_bytes(word(static_cast<WordId>(id)));
      slots_[probe(slots_, hash, [](const Slot& slot) { return slot.id == none; })] = {
          static_cast<std::uint32_t>(hash >> 32), static_cast<WordId>(id)};
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::vector<std::size_t> begins_;
  std::string text_;  // all words one after the other
};

}  // namespace tunesmith
