// The k best derivations of a graph, or the best derivations of its k best strings.
#pragma once

#include <cstddef>
#include <span>

#include "search/graphs/derivations.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

struct KBestOptions {
  std::size_t k = 100;
  // Every string once, by its best derivation. Strings are compared at every node, not only at the goal: the best
  // derivation of a string is made of best derivations of its parts, so nothing is lost, and most of the
  // derivations that differ in nothing to be seen are never made.
  bool distinct = false;
  // Repeated strings thrown away, over all nodes, before a list is ended (`cut`). Nothing else bounds their
  // number.
  std::size_t max_skipped = 100000;
};

// Lazy k-best (Huang and Chiang 2005, Algorithm 3). Scores are one finite number per edge. Best first; of equal
// scores the smaller topmost edge, then the smaller ranks of its tails' derivations from first to last, so the
// list is one and the same everywhere. Fewer than k where there are no more. Empty for a graph without nodes.
// O(edges × arity) for the best one, then O(k log k) heap operations at each node that is asked for more.
Derivations k_best(const Hypergraph& graph, std::span<const double> scores, const KBestOptions& options);

}  // namespace tunesmith
