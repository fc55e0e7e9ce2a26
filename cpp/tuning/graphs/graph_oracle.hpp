// The derivation of one sentence's graph with the best mixture of model score and BLEU: a hope or a fear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// A derivation with its score and gain.
struct ScoredDerivation {
  std::vector<EdgeId> edges;
  std::vector<double> statistics;
  double score = 0, gain = 0;
};

class GraphOracle {
 public:
  explicit GraphOracle(const Hypergraph& graph) : graph_(graph) {}  // which outlives this
  GraphOracle(const GraphOracle&) = delete;
  GraphOracle& operator=(const GraphOracle&) = delete;
  virtual ~GraphOracle() = default;

  const Hypergraph& graph() const { return graph_; }
  // A derivation of high model · score + metric · gain, for a score of each edge of the graph.
  virtual ScoredDerivation find(std::span<const double> scores, double model, double metric,
                                std::span<const double> background) = 0;

 private:
  const Hypergraph& graph_;
};

}  // namespace tunesmith
