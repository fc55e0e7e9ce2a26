// The source sides of a rule table as a trie: which of them match a sentence is found word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/probe.hpp"

namespace tunesmith {

class RuleTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node root = 0;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  // One pass over the sides, which are sorted. Throws Error where they are not, for empty sides, for gaps that are
  // not numbered from left to right or more than two, and for words outside the vocabulary.
  // symbols, offsets: side i is symbols[offsets[i] .. offsets[i + 1]).
  RuleTrie(std::span<const std::int32_t> symbols, std::span<const std::uint64_t> offsets, std::size_t vocabulary);

  std::size_t size() const { return nodes_.size(); }
  // The node after a word; `none` if no side continues with it.
  Node child(Node node, std::uint32_t word) const {
    if (!nodes_[node].has_words) return none;
    const std::uint64_t key = key_of(node, word);
    return slots_[probe(slots_, mix(key, 0),
                        [&](const Slot& slot) { return slot.key == key || slot.key == empty; })]
        .child;
  }
  // The node after a gap.
  Node gap(Node node) const { return nodes_[node].gap; }
  // The side that ends here.
  std::uint32_t side(Node node) const { return nodes_[node].side; }
  bool continues(Node node) const { return nodes_[node].has_words || nodes_[node].gap != none; }
  bool has_words(Node node) const { return nodes_[node].has_words; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Entry {
    std::uint32_t gap = none, side = none;
    bool has_words = false;
  };
  struct Slot {
    std::uint64_t key = empty;
    Node child = none;
  };
  static std::uint64_t key_of(Node node, std::uint32_t word) {
    return static_cast<std::uint64_t>(node) << 32 | word;
  }

  std::vector<Entry> nodes_;
  std::vector<Slot> slots_;
};

}  // namespace tunesmith
