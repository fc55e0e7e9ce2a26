// The one way to write a search graph.
#pragma once

#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// Node by node, each after those that it has as tails; the goal last.
class GraphBuilder {
 public:
  struct Sizes {
    std::size_t nodes = 0, edges = 0, tails = 0, symbols = 0;
  };
  // Sizes are counted before: arrays that grow would take more memory. Throws Error for more than 32 bits can
  // number. vocabulary: words of the target; dense_ids: of the values that each edge has.
  GraphBuilder(std::uint32_t vocabulary, std::vector<std::uint32_t> dense_ids, const Sizes& sizes);

  // One more edge of the node at work.
  void add_edge(const Application& application, std::span<const NodeId> tails,
                std::span<const std::int32_t> symbols, std::span<const float> dense);
  // A sparse value of the last edge; end_sparse() after all of them, for every edge or for none.
  void add_sparse(std::uint32_t id, float value) {
    graph_.sparse_ids.push_back(id);
    graph_.sparse_values.push_back(value);
  }
  void end_sparse();
  // The node at work is complete; returns its number.
  NodeId end_node();
  Hypergraph finish() { return std::move(graph_); }

 private:
  std::uint32_t number(const Application& application);
  void grow();

  Hypergraph graph_;
  std::vector<std::uint32_t> slots_;  // of applications by their hashes: number + 1, 0: empty
};

}  // namespace tunesmith
