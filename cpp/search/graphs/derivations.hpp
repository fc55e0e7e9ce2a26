// Derivations read off a graph, and what follows from them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// Flat arrays for all derivations of a list. The edges of a derivation in pre-order (an edge, then the derivations
// of its tails from first to last) say all of it: applications with their spans, features, words.
struct Derivations {
  std::vector<double> scores;
  std::vector<std::uint64_t> edge_offsets{0};
  std::vector<EdgeId> edges;
  std::vector<std::uint64_t> word_offsets{0};
  std::vector<std::int32_t> words;
  // The list may lack derivations that exist: the search gave up at its bound (see KBestOptions, OracleOptions).
  bool cut = false;

  std::size_t size() const { return scores.size(); }
  std::span<const EdgeId> edges_of(std::size_t i) const {
    return {edges.data() + edge_offsets[i], edges.data() + edge_offsets[i + 1]};
  }
  std::span<const std::int32_t> words_of(std::size_t i) const {
    return {words.data() + word_offsets[i], words.data() + word_offsets[i + 1]};
  }
};

// A graph may share a tail between both places of an edge, level upon level, and so describe sentences that fit no
// memory. No sentence comes near these limits; beyond them Error is thrown.
inline constexpr std::size_t max_derivation_edges = std::size_t{1} << 18;
inline constexpr std::size_t max_derivation_words = std::size_t{1} << 18;

// Throws Error: a derivation is larger than that.
[[noreturn]] void refuse_size();

// Appends the edges, in pre-order, of a derivation that is given by ranks: `found(node, rank)` is a pair of the
// topmost edge of the node's derivation of that rank and a pointer to the ranks of its tails' derivations.
template <class Found>
void append_edges(const Hypergraph& graph, NodeId node, std::uint32_t rank, Found found,
                  std::vector<EdgeId>& edges) {
  const std::size_t before = edges.size();
  std::vector<std::pair<NodeId, std::uint32_t>> open{{node, rank}};
  while (!open.empty()) {
    const auto [next, at] = open.back();
    open.pop_back();
    const auto [edge, ranks] = found(next, at);
    if (edges.size() - before == max_derivation_edges) refuse_size();
    edges.push_back(edge);
    const std::span<const NodeId> tails = graph.tails_of(edge);
    for (std::size_t i = tails.size(); i-- > 0;) open.emplace_back(tails[i], ranks[i]);
  }
}

// Throws Error unless these are the edges of one derivation of the goal in pre-order.
void check_derivation(const Hypergraph& graph, std::span<const EdgeId> edges);

// Appends the words of a derivation given by its edges in pre-order.
void append_words(const Hypergraph& graph, std::span<const EdgeId> edges, std::vector<std::int32_t>& words);

// For every symbol of every edge of the derivation, edges in the order given: where in the sentence it stands (of
// a slot: where its words begin). With the links inside rules this gives the word alignment.
std::vector<std::uint32_t> symbol_positions(const Hypergraph& graph, std::span<const EdgeId> edges);

// Rows of numbers, one row per derivation; ids rise within a row, each is there once.
template <class Value>
struct SparseRows {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<Value> values;
};

// How often each application is used (D_x), how often each rule (D).
SparseRows<std::uint32_t> application_counts(const Hypergraph& graph, const Derivations& derivations);
SparseRows<std::uint32_t> rule_counts(const Hypergraph& graph, const Derivations& derivations);

// Sums of the stateful features (s): the dense block, row by row, and the sparse pairs. Summed in double, in
// pre-order.
std::vector<double> dense_sums(const Hypergraph& graph, const Derivations& derivations);
SparseRows<double> sparse_sums(const Hypergraph& graph, const Derivations& derivations);

}  // namespace tunesmith
