// Smaller graphs that keep what matters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// A part of a graph that is a graph itself, and where its parts were before: node i of it was nodes[i], and so on.
// Order is kept, so numbers rise.
struct Subgraph {
  Hypergraph graph;
  std::vector<NodeId> nodes;
  std::vector<EdgeId> edges;
  std::vector<std::uint32_t> applications;
};

// The graph of the edges marked in `kept` (one mark per edge) that are part of a derivation of the goal made of
// such edges alone; a graph without nodes if there is none.
Subgraph keep_edges(const Hypergraph& graph, std::span<const char> kept);

// All edges whose best derivation is at most `beam` worse than the best of all (max-marginals). beam ≥ 0.
Subgraph prune_to_beam(const Hypergraph& graph, std::span<const double> scores, double beam);

enum class PruneBy {
  posterior,     // by the expected number of uses
  max_marginal,  // by the best derivation through the edge: every edge stays with a whole derivation of its own
                 // rank
};

// Cherry and Foster (2012) prune their lattices to a number of edges per reference word too, but do not say by
// which score.
//
// The `edges` best edges and in any case those of the best derivation. By posterior an edge may lose all ways to
// derive a tail and then goes too; so there are at most max(edges, those of the best derivation) edges. Of equally
// good edges the first ones stay.
Subgraph prune_to_size(const Hypergraph& graph, std::span<const double> scores, std::size_t edges, PruneBy by);

}  // namespace tunesmith
