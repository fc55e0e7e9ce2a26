#include "tuning/graphs/all_derivations.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "search/graphs/derivations.hpp"

namespace tunesmith {
namespace {

// Derivations of an edge, at most `limit`.
std::size_t count_of(const Hypergraph& graph, EdgeId edge, const std::vector<std::size_t>& counts,
                     std::size_t limit) {
  std::size_t product = 1;
  for (const NodeId tail : graph.tails_of(edge)) {
    if (counts[tail] == 0) return 0;
    product = product > limit / counts[tail] ? limit : product * counts[tail];
  }
  return product;
}

}  // namespace

DerivationEdges all_derivations(const Hypergraph& graph, std::size_t most) {
  DerivationEdges out;
  if (graph.nodes() == 0) return out;
  const std::size_t limit = most + 1;
  std::vector<std::size_t> counts(graph.nodes(), 0);
  for (NodeId node = 0; node < graph.nodes(); ++node)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge)
      counts[node] = std::min(limit, counts[node] + count_of(graph, edge, counts, limit));
  if (counts[graph.goal()] > most)
    throw Error("a graph has more than " + std::to_string(most) + " derivations, too many to compare all");
  std::vector<std::pair<NodeId, std::size_t>> open;
  for (std::size_t number = 0; number < counts[graph.goal()]; ++number) {
    open.assign(1, {graph.goal(), number});
    const std::size_t before = out.edges.size();
    while (!open.empty()) {
      auto [node, rank] = open.back();
      open.pop_back();
      EdgeId edge = graph.node_edges[node];
      for (std::size_t of_edge = 0; rank >= (of_edge = count_of(graph, edge, counts, limit)); ++edge)
        rank -= of_edge;
      if (out.edges.size() - before == max_derivation_edges) refuse_size();
      out.edges.push_back(edge);
      const std::span<const NodeId> tails = graph.tails_of(edge);
      for (std::size_t i = tails.size(); i-- > 0; rank /= counts[tails[i]])
        open.emplace_back(tails[i], rank % counts[tails[i]]);
    }
    out.offsets.push_back(out.edges.size());
  }
  return out;
}

}  // namespace tunesmith
