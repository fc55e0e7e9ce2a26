#include "search/graphs/viterbi.hpp"

#include <algorithm>

#include "search/graphs/derivations.hpp"

namespace tunesmith {

// The Best semiring with back pointers; the sums run in the same order as those of k-best lists, so that the
// scores of both are the same numbers.
Viterbi viterbi(const Hypergraph& graph, std::span<const double> scores) {
  Viterbi best{std::vector<double>(graph.nodes()), std::vector<EdgeId>(graph.nodes())};
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    const EdgeId first = graph.node_edges[node];
    for (EdgeId edge = first; edge < graph.node_edges[node + 1]; ++edge) {
      double score = scores[edge];
      for (const NodeId tail : graph.tails_of(edge)) score += best.score[tail];
      if (edge == first || score > best.score[node]) {
        best.score[node] = score;
        best.edge[node] = edge;
      }
    }
  }
  return best;
}

void append_best(const Hypergraph& graph, const Viterbi& best, std::vector<EdgeId>& edges) {
  std::vector<std::uint32_t> first;  // ranks of tails: all the best
  const auto found = [&](NodeId node, std::uint32_t) {
    const EdgeId edge = best.edge[node];
    first.resize(std::max(first.size(), graph.tails_of(edge).size()));
    return std::pair(edge, first.data());
  };
  append_edges(graph, graph.goal(), 0, found, edges);
}

}  // namespace tunesmith
