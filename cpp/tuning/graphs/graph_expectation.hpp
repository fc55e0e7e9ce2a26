// Words and matches of a translation drawn from a whole search graph, in expectation, and the slopes of what they
// are worth: minimum risk on lattices and forests (Li and Eisner 2009).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/graph_features.hpp"
#include "tuning/graphs/split_graph.hpp"
#include "tuning/losses/expected_gain.hpp"

namespace tunesmith {

// The distribution p(d) ∝ exp(score) over the derivations of one graph.
class SentenceExpectation {
 public:
  // The graph outlives this. most: edges of the graph once its nodes are split (split_graph.hpp).
  SentenceExpectation(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references, int order,
                      std::size_t most);

  // Space, for one thread at a time.
  struct Space {
    std::vector<double> scores, nodes, uses, below, around, slopes;
  };

  const Hypergraph& graph() const { return graph_; }
  std::size_t split_edges() const { return split_.edges(); }
  // Takes the scores of the graph's edges, in `space`, times `scale`. Throws Error where sums over derivations
  // overflow.
  void distribute(double scale, Space& space);
  // Writes the expected words, the expected matches of each order, and the entropy of the distribution.
  void counts(std::span<double> row, Space& space) const;
  // Writes to space.slopes, for each edge of the graph, the derivative by its (scaled) score of Σ worth · count +
  // entropy · H(p), for the words and the matches of each order. The expectation semiring of second order, by
  // derivatives from the goal downwards.
  void slopes(std::span<const double> worth, double entropy, Space& space) const;

 private:
  const Hypergraph& graph_;
  std::size_t order_;
  SplitGraph split_;
  std::vector<double> shares_;
};

// The same for many sentences. What is remembered are the shares of all edges under the last weights.
class GraphExpectation {
 public:
  // Null graphs are sentences without one.
  GraphExpectation(std::vector<const Hypergraph*> graphs,
                   const std::vector<std::vector<std::vector<std::int32_t>>>& references, int order,
                   std::size_t most, int threads);

  std::size_t sentences() const { return sentences_.size(); }
  // Words, matches of each order, entropy.
  std::size_t width() const { return static_cast<std::size_t>(order_) + 2; }
  std::size_t split_edges() const;

  // A row for each sentence under weights; zeros where there is no graph.
  std::vector<double> evaluate(const GraphFeatures& features, std::span<const double> w, double scale,
                               int threads);
  // The derivatives by the weights, at those of the last `evaluate`, of the sum over sentences of Σ worth · count
  // + entropy · H(p). worth: order + 1 numbers a sentence.
  void gradient(const GraphFeatures& features, std::span<const double> worth, double entropy, double scale,
                std::span<double> out, int threads) const;
  // One pass of stochastic gradient steps that make that sum, over the sentences of `order`, larger; as
  // descend_expected_gain does for lists.
  std::uint64_t descend(const GraphFeatures& features, std::span<const double> worth, double entropy, double scale,
                        std::span<const std::uint32_t> order, const Descent& descent, std::uint64_t steps,
                        std::span<double> weights, const std::atomic<bool>& stop);

 private:
  std::vector<std::unique_ptr<SentenceExpectation>> sentences_;
  int order_;
};

}  // namespace tunesmith
