// The distribution over derivations, edge by edge: with what probability an edge stands on top of a derivation of
// its node.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tunesmith {

// p(derivation) ∝ exp(score), for the finite scores that `score_of(edge)` gives. Writes the share of each edge
// among the edges of its node, 0 to 1, and per node log Σ exp(score) over its derivations. A derivation has the
// product of the shares of its edges as its probability. Graph: a Hypergraph or what has its node_edges,
// tail_offsets and tails. An exponential an edge and a logarithm a node.
template <class Graph, class ScoreOf>
void edge_shares(const Graph& graph, ScoreOf score_of, std::vector<double>& inside, std::vector<double>& shares) {
  inside.resize(graph.nodes());
  shares.resize(graph.edges());
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    const std::uint32_t begin = graph.node_edges[node], end = graph.node_edges[node + 1];
    double highest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t e = begin; e < end; ++e) {
      double value = score_of(e);
      for (std::uint32_t t = graph.tail_offsets[e]; t < graph.tail_offsets[e + 1]; ++t)
        value += inside[graph.tails[t]];
      shares[e] = value;
      if (value > highest) highest = value;
    }
    double total = 0;
    for (std::uint32_t e = begin; e < end; ++e) total += shares[e] = std::exp(shares[e] - highest);
    for (std::uint32_t e = begin; e < end; ++e) shares[e] /= total;
    inside[node] = highest + std::log(total);
  }
}

// Per node: how often a derivation of the goal uses it in expectation. An edge is used so often times its share.
template <class Graph>
void expected_uses(const Graph& graph, const std::vector<double>& shares, std::vector<double>& uses) {
  uses.assign(graph.nodes(), 0.0);
  if (uses.empty()) return;
  uses.back() = 1;
  for (std::size_t node = graph.nodes(); node-- > 0;)
    if (uses[node] > 0)
      for (std::uint32_t e = graph.node_edges[node]; e < graph.node_edges[node + 1]; ++e) {
        const double expected = uses[node] * shares[e];
        for (std::uint32_t t = graph.tail_offsets[e]; t < graph.tail_offsets[e + 1]; ++t)
          uses[graph.tails[t]] += expected;
      }
}

}  // namespace tunesmith
