// Hope and fear in whole search graphs: MIRA on lattices and forests (Cherry and Foster 2012, section 3.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/ngram_statistics.hpp"
#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/graph_features.hpp"
#include "tuning/graphs/graph_gains.hpp"
#include "tuning/graphs/graph_oracle.hpp"
#include "tuning/graphs/kept_derivations.hpp"
#include "tuning/graphs/token_numbers.hpp"
#include "tuning/losses/hope_fear.hpp"

namespace tunesmith {

// Passes of updates over many sentences. `visited` has the hopes and fears of the last pass that made updates, one
// list for each sentence, each derivation once.
class GraphPasses {
 public:
  // tokens: what the references are compared with. exact: all derivations are compared, at most `most` of a graph;
  // else `most` is the number of edges of a graph once its nodes are split (split_graph.hpp). Graphs outlive this.
  GraphPasses(std::vector<const Hypergraph*> graphs,
              const std::vector<std::vector<std::vector<std::int32_t>>>& references, GainMeasure measure,
              TokenNumbers tokens, bool exact, std::size_t most, int threads);

  std::size_t sentences() const { return oracles_.size(); }
  std::vector<double> background() const { return measure_->background(); }
  // loss: the sum of losses that this pass has met before, over other sentences.
  PassResult run(const GraphFeatures& features, std::span<const std::uint32_t> order, const PassOptions& options,
                 const Box& box, PassState& state, double loss = 0);
  std::span<const DerivationEdges> visited() const { return visited_.lists(); }
  ScoredDerivation find(std::size_t sentence, const GraphFeatures& features, std::span<const double> w,
                        double model, double metric, std::span<const double> background);

 private:
  std::vector<std::unique_ptr<GraphOracle>> oracles_;
  std::unique_ptr<const GainMeasure> measure_;  // oracles refer to it, and to the tokens
  std::unique_ptr<const TokenNumbers> tokens_;
  VisitedDerivations visited_;
};

}  // namespace tunesmith
