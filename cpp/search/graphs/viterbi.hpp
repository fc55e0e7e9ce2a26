// The best derivation of every node.
#pragma once

#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

struct Viterbi {
  std::vector<double> score;  // per node: of its best derivation
  std::vector<EdgeId> edge;   // per node: the topmost edge of that; of equally good ones the first
};

// Scores are one per edge (edge_scores.hpp). O(edges × arity).
Viterbi viterbi(const Hypergraph& graph, std::span<const double> scores);

// Appends the edges of the goal's best derivation in pre-order.
void append_best(const Hypergraph& graph, const Viterbi& best, std::vector<EdgeId>& edges);

}  // namespace tunesmith
