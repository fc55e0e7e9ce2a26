// A search graph whose edges say which n-grams of words they add to a derivation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// N-grams by number. Each is one word and the n-gram before it, so that all that end at a word are found one from
// the other.
class NgramNumbers {
 public:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  std::size_t size() const { return nodes_.size(); }
  // The n-gram `first` + the words of `rest`. rest: a number or `empty`.
  std::uint32_t extended(std::uint32_t rest, std::int32_t first);
  std::size_t length(std::uint32_t ngram) const { return nodes_[ngram].length; }
  // Appends its words.
  void append_words(std::uint32_t ngram, std::vector<std::int32_t>& words) const;

 private:
  struct Node {
    std::uint32_t rest;
    std::int32_t first;
    std::uint32_t length;
  };
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// Nodes are split by the order - 1 words at each border that words may stand next to: then the n-grams that an
// edge adds do not depend on the rest of the derivation. Nodes are in topological order, the goal is one node, the
// last.
struct NgramGraph {
  std::vector<std::uint32_t> node_edges{0};
  std::vector<std::uint32_t> tail_offsets{0};
  std::vector<std::uint32_t> tails;  // nodes of this graph
  std::vector<EdgeId> edge;          // of the search graph
  std::vector<std::uint32_t> words;  // that the edge itself adds
  std::vector<std::uint32_t> ngram_offsets{0};
  std::vector<std::uint32_t> ngrams;  // an n-gram that an edge adds twice is there twice
  NgramNumbers numbers;

  std::size_t nodes() const { return node_edges.size() - 1; }
  std::size_t edges() const { return edge.size(); }
  std::span<const std::uint32_t> ngrams_of(std::size_t e) const {
    return {ngrams.data() + ngram_offsets[e], ngrams.data() + ngram_offsets[e + 1]};
  }
};

// Nothing where there would be more than `most` edges. order: 1 to 9.
std::optional<NgramGraph> ngram_graph(const Hypergraph& graph, int order, std::size_t most);

}  // namespace tunesmith
