#include "grammar/tables/side_lookup.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

// Children remembered, 16 bytes each with as many free places, and a node for those that are there.
constexpr std::size_t most_children = std::size_t{1} << 20;

}  // namespace

SideLookup::SideLookup(std::span<const Symbol> symbols, std::span<const std::uint64_t> offsets)
    : symbols_(symbols), offsets_(offsets) {
  if (offsets_.empty() || offsets_.size() - 1 >= std::numeric_limits<std::uint32_t>::max())
    throw Error("a table of " + std::to_string(offsets_.size()) + " source sides cannot be searched");
  clear();
}

void SideLookup::clear() {
  nodes_.assign(1, {0, narrow<std::uint32_t>(offsets_.size() - 1), 0, none});
  children_ = {};
}

void SideLookup::refresh() {
  if (children_.size() > most_children) clear();
}

std::span<const Symbol> SideLookup::symbols_of(std::uint32_t side) const {
  const std::uint64_t begin = offsets_[side], end = offsets_[side + 1];
  if (begin > end || end > symbols_.size())
    throw Error("source side " + std::to_string(side) + " has no place; the table is damaged");
  return symbols_.subspan(begin, end - begin);
}

// A side that ends comes before the sides that continue.
SideLookup::Node SideLookup::search(const Prefix& prefix, Symbol word) {
  const std::size_t at = prefix.length;
  const auto next_word = [&](std::uint32_t side) {
    const std::span<const Symbol> symbols = symbols_of(side);
    return symbols.size() > at ? symbols[at] : std::numeric_limits<Symbol>::min();
  };
  const auto sides = std::views::iota(prefix.begin, prefix.end);
  const std::uint32_t begin =
      prefix.begin +
      static_cast<std::uint32_t>(std::ranges::lower_bound(sides, word, {}, next_word) - sides.begin());
  if (begin == prefix.end || next_word(begin) != word) return none;
  if (!std::ranges::equal(symbols_of(begin).first(at), symbols_of(prefix.begin).first(at)))
    throw Error("source side " + std::to_string(begin) + " is out of order; the table is damaged");
  const auto rest = std::views::iota(begin, prefix.end);
  const std::uint32_t end =
      begin + static_cast<std::uint32_t>(std::ranges::upper_bound(rest, word, {}, next_word) - rest.begin());
  const bool ends = symbols_of(begin).size() == at + 1;
  nodes_.push_back({begin, end, prefix.length + 1, ends ? begin : none});
  return static_cast<Node>(nodes_.size() - 1);
}

SideLookup::Node SideLookup::child(Node node, std::uint32_t word) {
  const std::uint64_t key = static_cast<std::uint64_t>(node) << 32 | word;
  if (const Node known = children_.find(key); known != NumberTable::none) return known == no_child ? none : known;
  const Prefix prefix = nodes_[node];
  // A side that is its own prefix continues with nothing.
  const Node found =
      prefix.end - prefix.begin == 1 && prefix.side != none ? none : search(prefix, static_cast<Symbol>(word));
  children_.set(key, found == none ? no_child : found);
  return found;
}

}  // namespace tunesmith
