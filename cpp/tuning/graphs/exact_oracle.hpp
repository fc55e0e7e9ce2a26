// Hope and fear by comparing all derivations: for small graphs, and to see what the linear search misses.
#pragma once

#include "tuning/graphs/graph_gains.hpp"
#include "tuning/graphs/graph_oracle.hpp"
#include "tuning/graphs/kept_derivations.hpp"
#include "tuning/graphs/token_numbers.hpp"

namespace tunesmith {

// The first of the best, as lists choose: of equal gains without a score the one of highest score. Statistics are
// computed once.
class ExactOracle : public GraphOracle {
 public:
  // Throws Error if there are more derivations than `most`. The measure outlives this.
  ExactOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references,
              const GainMeasure& measure, const TokenNumbers& tokens, std::size_t most);

  ScoredDerivation find(std::span<const double> scores, double model, double metric,
                        std::span<const double> background) override;

 private:
  GraphGains gains_;
  DerivationEdges derivations_;
  std::vector<double> statistics_;  // a row of each derivation
};

}  // namespace tunesmith
