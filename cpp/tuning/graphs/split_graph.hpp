// A search graph in which n-grams of the references can be counted edge by edge.
#pragma once

#include <cstdint>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/ngram_automaton.hpp"
#include "tuning/graphs/token_numbers.hpp"

namespace tunesmith {

// Nodes are split by the words at their borders, as far as these can be part of an n-gram of the references
// together with words outside: then how many n-grams an edge adds does not depend on the rest of the derivation.
// Nodes are in topological order, the goal is one node, the last.
struct SplitGraph {
  std::vector<std::uint32_t> node_edges{0};
  std::vector<std::uint32_t> tail_offsets{0};
  std::vector<std::uint32_t> tails;  // nodes of this graph
  std::vector<EdgeId> edge;          // of the search graph
  std::vector<std::uint32_t> words;  // that the edge itself adds
  std::vector<float> matches;        // `order` numbers an edge: n-grams of the references it adds, not clipped
  std::vector<std::uint32_t> ngram_offsets{0}, ngrams;  // the same n-grams by their states of the automaton

  std::size_t nodes() const { return node_edges.size() - 1; }
  std::size_t edges() const { return edge.size(); }
};

// order - 1 words at a border count. Where there would be more than `most` edges it is fewer of them, and n-grams
// that need more are not seen across edges. tokens: what the automaton reads for each word of the graph.
SplitGraph split_graph(const Hypergraph& graph, const NgramAutomaton& automaton, int order, std::size_t most,
                       const TokenNumbers& tokens = {});

}  // namespace tunesmith
