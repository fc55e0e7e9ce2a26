// The tables of a model as they lie in memory and in the binary file: plain arrays, found through spans.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "lm/hashing.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

// Probabilities and back-offs are log10. Two bits are hidden in their signs, as KenLM does it:
// - a probability is stored with its sign bit cleared (as |p|) where some longer n-gram ends in this one ("extends
//   to the left"), with the sign set where none does;
// - a back-off of -0.0 says that no longer n-gram begins with this one and the back-off is zero, so that a state
//   need not remember it ("does not extend to the right").
inline constexpr float no_extension = -0.0f;

inline bool extends_right(float backoff) {
  return std::bit_cast<std::uint32_t>(backoff) != 0x80000000u;
}

struct Weights {
  float signed_probability, backoff;

  float probability() const { return std::bit_cast<float>(bits() | 0x80000000u); }
  bool extends_left() const { return (bits() >> 31) == 0; }
  void mark_extends_left() { signed_probability = std::bit_cast<float>(bits() & 0x7FFFFFFFu); }
  void mark_extends_right() {
    if (!extends_right(backoff)) backoff = 0.0f;
  }

 private:
  std::uint32_t bits() const { return std::bit_cast<std::uint32_t>(signed_probability); }
};

// A slot of the table of a middle order; key 0 is empty.
struct MiddleSlot {
  Key key;
  Weights weights;
};
static_assert(sizeof(MiddleSlot) == 16);

// A slot of the table of the highest order, 12 bytes.
struct LongestSlot {
  std::uint32_t key_low, key_high;
  float probability;

  Key key() const { return key_low | static_cast<Key>(key_high) << 32; }
};
static_assert(sizeof(LongestSlot) == 12);

inline Key key_of(const MiddleSlot& slot) {
  return slot.key;
}
inline Key key_of(const LongestSlot& slot) {
  return slot.key();
}

inline std::uint64_t home_of(Key key, std::uint64_t homes) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(key) * homes) >> 64);
}

// Open addressing without wrap-around. Homes rise with keys, and keys stand in rising order: each at its home or,
// if that is taken, directly after its predecessor. So a search ends at a larger key too, and the same n-grams
// always give the same table. The last slot is always empty: a search ends whatever the others hold.
template <class Slot>
class TableView {
 public:
  TableView() = default;
  // The first `homes` of the slots are homes.
  TableView(std::span<Slot> slots, std::uint64_t homes) : slots_(slots.data()), homes_(homes) {}

  Slot* home(Key key) const { return slots_ + home_of(key, homes_); }
  void prefetch(Key key) const { __builtin_prefetch(home(key)); }
  Slot* find(Key key) const {
    for (Slot* slot = home(key);; ++slot) {
      const Key found = key_of(*slot);
      if (found == key) return slot;
      if (found == 0 || found > key) return nullptr;
    }
  }

 private:
  Slot* slots_ = nullptr;
  std::uint64_t homes_ = 0;
};

// Words to numbers. The key of a word of up to eight bytes is the word itself, so most are found without a look at
// the text.
struct WordSlot {
  std::uint64_t key;
  std::uint32_t length;  // 0: empty
  std::uint32_t id;
};
static_assert(sizeof(WordSlot) == 16);

class WordView {
 public:
  WordView() = default;
  // slots: a power of two, at most half of them taken. begins: where each word begins in `text`, and the end.
  WordView(std::span<const WordSlot> slots, std::span<const std::uint64_t> begins, const char* text)
      : slots_(slots.data()),
        mask_(slots.size() - 1),
        begins_(begins.data()),
        size_(begins.size() - 1),
        text_(text) {}

  std::size_t size() const { return size_; }
  std::string_view word(std::uint32_t id) const {
    return {text_ + begins_[id], static_cast<std::size_t>(begins_[id + 1] - begins_[id])};
  }
  // The number of the word, that of <unk> if it is not there.
  std::uint32_t find(std::string_view wanted) const {
    const std::uint64_t key = word_key(wanted);
    for (std::uint64_t at = word_place(key, wanted.size()) & mask_; slots_[at].length != 0;
         at = (at + 1) & mask_) {
      const WordSlot& slot = slots_[at];
      if (slot.key == key && slot.length == wanted.size() && (slot.length <= 8 || word(slot.id) == wanted))
        return slot.id;
    }
    return unknown;
  }

 private:
  const WordSlot* slots_ = nullptr;
  std::uint64_t mask_ = 0;
  const std::uint64_t* begins_ = nullptr;
  std::size_t size_ = 0;
  const char* text_ = nullptr;
};

}  // namespace tunesmith::lm
