// Derivations that stay in a pool of graphs when the next round's graphs take the place of the last ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/graph_features.hpp"

namespace tunesmith {

// Edges of derivations in pre-order, one after the other.
struct DerivationEdges {
  std::vector<std::uint64_t> offsets{0};
  std::vector<EdgeId> edges;
  std::size_t size() const { return offsets.size() - 1; }
  std::span<const EdgeId> operator[](std::size_t i) const {
    return {edges.data() + offsets[i], edges.data() + offsets[i + 1]};
  }
};

// Derivations of the graphs of many sentences that an optimizer met, each once, in the order in which they came.
// Several threads may add derivations of different sentences.
class VisitedDerivations {
 public:
  explicit VisitedDerivations(std::size_t sentences) : lists_(sentences), seen_(sentences) {}

  void add(std::size_t sentence, std::span<const EdgeId> edges);
  std::span<const DerivationEdges> lists() const { return lists_; }

 private:
  std::vector<DerivationEdges> lists_;
  std::vector<std::unordered_set<std::string>> seen_;
};

// A graph whose goal has, after its own edges, one edge for each derivation that is kept: all its words, and all
// its features as sparse pairs, with no rule. `kept` of the goal's edges are such edges.
struct GraphWithKept {
  Hypergraph graph;
  std::size_t kept = 0;
};
// The newer graph with what `older` keeps and with these derivations of `older`, each once. A derivation that is
// in the newer graph as well is there twice, which changes neither who is the best nor how good it is. Throws
// Error for edges that are not a derivation of `older`.
GraphWithKept with_kept(const Hypergraph& newer, const Hypergraph& older, std::size_t older_kept,
                        const DerivationEdges& derivations, const GraphFeatures& features);

// A graph of `with_kept` without the derivations that it keeps and that score higher than the best of the others.
// The search that made the graph did not find these, so it does not choose them. All stay where there are no
// others.
GraphWithKept without_unreached(const Hypergraph& graph, std::size_t kept, std::span<const double> scores);

}  // namespace tunesmith
