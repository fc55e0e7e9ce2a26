// Source sides of a phrase table found word by word, in the arrays where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/number_table.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// A RuleTrie of which only what was asked for is made: sides are sorted, so those that begin with the same words
// are a range, and the next word narrows it by binary search. Nothing is read before it is needed, so that a table
// of any size opens at once, and its memory is that of what the input asks for. For one thread; sides have no
// gaps.
class SideLookup {
 public:
  using Node = std::uint32_t;
  static constexpr Node root = 0;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  // Side i is symbols[offsets[i] .. offsets[i + 1]); both outlive the lookup. The arrays may come from a damaged
  // file: an offset that is read and points elsewhere is an Error; sides that are not in order are not found, or
  // an Error too, but never taken for others.
  SideLookup(std::span<const Symbol> symbols, std::span<const std::uint64_t> offsets);

  // The node after a word; `none` if no side continues with it.
  Node child(Node node, std::uint32_t word);
  // The side that ends here.
  std::uint32_t side(Node node) const { return nodes_[node].side; }
  // Called between sentences: forgets what was found when it is more than sentences need. Nodes are not
  // valid afterwards.
  void refresh();
  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr Node no_child = none - 1;  // what is remembered where a side does not continue
  // Sides [begin, end) begin with the same `length` words.
  struct Prefix {
    std::uint32_t begin, end, length, side;
  };
  void clear();
  std::span<const Symbol> symbols_of(std::uint32_t side) const;
  Node search(const Prefix& prefix, Symbol word);

  std::span<const Symbol> symbols_;
  std::span<const std::uint64_t> offsets_;
  std::vector<Prefix> nodes_;
  NumberTable children_;  // those that were asked for, by node and word
};

}  // namespace tunesmith
