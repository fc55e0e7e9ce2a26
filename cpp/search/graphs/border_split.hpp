// Splitting the nodes of a search graph by what stands at their borders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/narrow.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// What an edge adds to a derivation may depend on the words around it. Nodes are split by what their edges have at
// their borders, so that in the split graph it depends on the edge and its tails alone. Border: ordered values.
// Part: an edge of the split graph, which begins with `EdgeId edge` and `std::vector<std::uint32_t> tails`.
template <class Border, class Part>
class BorderSplit {
 public:
  // most: edges of the split graph.
  BorderSplit(const Hypergraph& graph, std::size_t most) : graph_(graph), most_(most) { find_sides(); }

  // Whether words can stand to the left or to the right of a node in a derivation of the goal.
  bool left(NodeId node) const { return left_[node]; }
  bool right(NodeId node) const { return right_[node]; }
  const Border& border(std::uint32_t split_node) const { return borders_[split_node]; }

  // Calls `make(node, part)` for every edge with every choice of split tails, which completes the part and returns
  // its border; then, split node by split node, `append(part)` for its edges and `end_node()`. False if there
  // would be too many edges.
  template <class Make, class Append, class EndNode>
  bool run(Make make, Append append, EndNode end_node) {
    std::vector<std::uint32_t> first(graph_.nodes() + 1, 0);  // split nodes of each node
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      first[node] = narrow<std::uint32_t>(borders_.size());
      std::map<Border, std::vector<Part>> found;
      for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge)
        if (!combine(node, edge, first, make, found)) return false;
      for (const auto& [border, parts] : found) {
        for (const Part& part : parts) append(part);
        end_node();
        borders_.push_back(border);
      }
      first[node + 1] = narrow<std::uint32_t>(borders_.size());
    }
    return true;
  }

 private:
  void find_sides() {
    left_.assign(graph_.nodes(), false);
    right_.assign(graph_.nodes(), false);
    for (NodeId node = static_cast<NodeId>(graph_.nodes()); node-- > 0;)
      for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge) {
        const std::span<const std::int32_t> symbols = graph_.symbols_of(edge);
        const std::span<const NodeId> tails = graph_.tails_of(edge);
        for (std::size_t i = 0; i < symbols.size(); ++i)
          if (symbols[i] < 0) {
            const NodeId tail = tails[static_cast<std::size_t>(-1 - symbols[i])];
            if (i > 0 || left_[node]) left_[tail] = true;
            if (i + 1 < symbols.size() || right_[node]) right_[tail] = true;
          }
      }
  }

  template <class Make>
  bool combine(NodeId node, EdgeId edge, const std::vector<std::uint32_t>& first, Make& make,
               std::map<Border, std::vector<Part>>& found) {
    const std::span<const NodeId> tails = graph_.tails_of(edge);
    std::vector<std::uint32_t> chosen;
    for (const NodeId tail : tails) chosen.push_back(first[tail]);
    while (true) {
      if (++made_ > most_) return false;
      Part part{};
      part.edge = edge;
      part.tails = chosen;
      Border border = make(node, part);
      found[std::move(border)].push_back(std::move(part));
      std::size_t i = 0;
      while (i < tails.size() && ++chosen[i] == first[tails[i] + 1]) {
        chosen[i] = first[tails[i]];
        ++i;
      }
      if (i == tails.size()) return true;
    }
  }

  const Hypergraph& graph_;
  const std::size_t most_;
  std::vector<bool> left_, right_;
  std::vector<Border> borders_;  // of split nodes
  std::size_t made_ = 0;
};

}  // namespace tunesmith
