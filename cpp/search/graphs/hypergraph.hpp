// The packed search graph that every decoder hands out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/application.hpp"

namespace tunesmith {

using NodeId = std::uint32_t;
using EdgeId = std::uint32_t;

// Flat arrays. Nodes are in topological order (the tails of a node's edges have smaller numbers), the goal is the
// last one. Every node has an edge, hence a derivation. A graph without nodes is that of a sentence for which
// nothing was found.
//
// No weights are inside: the score of an edge is the local score of its application plus weights times its
// stateful features, under any weight vector or direction.
//
// The target side of an edge is its own: words (≥ 0) and tail slots (-1 - i for tails[i], each once). So the
// number of tails need not be the number of gaps of the rule: edges of phrase-based and left-to-right search have
// one tail and append to it.
struct Hypergraph {
  // Edges into node n: [node_edges[n], node_edges[n + 1]).
  std::vector<EdgeId> node_edges{0};

  // Edge e: tails[tail_offsets[e] .. tail_offsets[e + 1]), symbols likewise.
  std::vector<std::uint32_t> tail_offsets{0};
  std::vector<NodeId> tails;
  std::vector<std::uint32_t> symbol_offsets{0};
  std::vector<std::int32_t> symbols;
  std::vector<std::uint32_t> edge_application;  // number of an entry of `applications`

  // Stateful features of edge e, unweighted: a block of `dense_ids.size()` values (feature ids are the same for
  // all edges), and sparse pairs where the decoder was asked to keep them.
  std::vector<std::uint32_t> dense_ids;
  std::vector<float> dense;
  std::vector<std::uint32_t> sparse_offsets{0};  // as long as edges + 1, or just {0} when there are none
  std::vector<std::uint32_t> sparse_ids;
  std::vector<float> sparse_values;

  // The applications edges use, each once. A word ≥ `vocabulary` is source word (word - vocabulary) of the
  // sentence, passed through.
  std::vector<Application> applications;
  std::uint32_t vocabulary = 0;

  std::size_t nodes() const { return node_edges.size() - 1; }
  std::size_t edges() const { return edge_application.size(); }
  NodeId goal() const { return static_cast<NodeId>(nodes() - 1); }
  std::span<const NodeId> tails_of(EdgeId e) const {
    return {tails.data() + tail_offsets[e], tails.data() + tail_offsets[e + 1]};
  }
  std::span<const std::int32_t> symbols_of(EdgeId e) const {
    return {symbols.data() + symbol_offsets[e], symbols.data() + symbol_offsets[e + 1]};
  }
  std::span<const float> dense_of(EdgeId e) const {
    return {dense.data() + e * dense_ids.size(), dense_ids.size()};
  }
  bool has_sparse() const { return sparse_offsets.size() > 1; }
  std::span<const std::uint32_t> sparse_ids_of(EdgeId e) const {
    if (!has_sparse()) return {};
    return {sparse_ids.data() + sparse_offsets[e], sparse_ids.data() + sparse_offsets[e + 1]};
  }
  std::span<const float> sparse_values_of(EdgeId e) const {
    if (!has_sparse()) return {};
    return {sparse_values.data() + sparse_offsets[e], sparse_values.data() + sparse_offsets[e + 1]};
  }
};

// Throws Error unless every index is inside its array, offsets rise, tails come before their node, every tail has
// its slot once, every node has an edge, and every value is finite. What passes can be given to every algorithm.
// Graphs that come from outside (Python, files) are validated once, when they are made; decoders make valid ones.
void validate(const Hypergraph& graph);

}  // namespace tunesmith
