#include "grammar/tables/rule_trie.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

[[noreturn]] void damaged(std::size_t side, const char* what) {
  throw Error("source side " + std::to_string(side) + " " + what + "; the table is damaged");
}

void check_side(std::span<const std::int32_t> symbols, std::size_t side, std::size_t vocabulary) {
  if (symbols.empty()) damaged(side, "is empty");
  std::int32_t gaps = 0;
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    if (symbols[at] >= 0) {
      if (static_cast<std::size_t>(symbols[at]) >= vocabulary)
        damaged(side, "holds a word that is not in the vocabulary");
    } else if (symbols[at] != -1 - gaps++ || gaps > 2) {
      damaged(side, "has gaps that no hierarchical rule has");
    }
  }
}

}  // namespace

RuleTrie::RuleTrie(std::span<const std::int32_t> all, std::span<const std::uint64_t> offsets,
                   std::size_t vocabulary)
    : nodes_(1) {
  const std::size_t sides = offsets.empty() ? 0 : offsets.size() - 1;
  std::size_t words = 0;
  for (const std::int32_t symbol : all) words += symbol >= 0;
  // Sides share prefixes, so this is more than there are edges; the rest is cut off below.
  std::vector<Slot> edges;
  edges.reserve(words);
  std::vector<Node> path{root};  // of the side before
  std::span<const std::int32_t> before;
  for (std::size_t side = 0; side < sides; ++side) {
    if (offsets[side] > offsets[side + 1] || offsets[side + 1] > all.size()) damaged(side, "has no place");
    const auto symbols = all.subspan(offsets[side], offsets[side + 1] - offsets[side]);
    check_side(symbols, side, vocabulary);
    const auto differ = std::mismatch(symbols.begin(), symbols.end(), before.begin(), before.end());
    const auto shared = static_cast<std::size_t>(differ.first - symbols.begin());
    if (shared == symbols.size() || (shared < before.size() && symbols[shared] < before[shared]))
      damaged(side, "is not in order");
    path.resize(shared + 1);
    for (std::size_t at = shared; at < symbols.size(); ++at) {
      const auto child = static_cast<Node>(nodes_.size());
      nodes_.emplace_back();
      if (symbols[at] < 0) {
        nodes_[path.back()].gap = child;
      } else {
        nodes_[path.back()].has_words = true;
        edges.push_back({key_of(path.back(), static_cast<std::uint32_t>(symbols[at])), child});
      }
      path.push_back(child);
    }
    nodes_[path.back()].side = static_cast<std::uint32_t>(side);
    before = symbols;
  }
  nodes_.shrink_to_fit();
  slots_.resize(slots_for(edges.size()));
  for (const Slot& edge : edges)
    slots_[probe(slots_, mix(edge.key, 0), [](const Slot& slot) { return slot.key == empty; })] = edge;
}

}  // namespace tunesmith
