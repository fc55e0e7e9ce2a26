// Hope and fear in whole search graphs: MIRA on lattices and forests (Cherry and Foster 2012, section 3.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/graph_features.hpp"
#include "tuning/graphs/graph_gains.hpp"
#include "tuning/graphs/kept_derivations.hpp"
#include "tuning/graphs/split_graph.hpp"
#include "tuning/losses/hope_fear.hpp"

namespace tunesmith {

// A derivation with its score and gain.
struct ScoredDerivation {
  std::vector<EdgeId> edges;
  std::vector<double> statistics;
  double score = 0, gain = 0;
};

// Hope and fear of one sentence. The gain is BLEU inside the pseudo-corpus, made linear in words and (unclipped)
// matches: at what a good translation has, then twice more at what was found. Each time the best
// derivation is found exactly, and of all derivations found the one counts whose exact objective, with clipped
// matches, is the highest; that of the model's best derivation is among them.
class GraphOracle {
 public:
  // The graph outlives this. most: edges of the graph once its nodes are split (split_graph.hpp).
  GraphOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references, int order,
              LengthRule length, std::size_t most);

  const Hypergraph& graph() const { return graph_; }
  std::size_t split_edges() const { return split_.edges(); }
  // arg max of model · score + metric · gain, for a score of each edge of the graph.
  ScoredDerivation find(std::span<const double> scores, double model, double metric,
                        std::span<const double> background, const PseudoCorpusOptions& options);

 private:
  void best_split(std::span<const double> scores, double model, double metric, const LinearGain& linear,
                  std::vector<EdgeId>& edges);

  const Hypergraph& graph_;
  GraphGains gains_;
  SplitGraph split_;
  // Space.
  std::vector<double> value_;
  std::vector<std::uint32_t> choice_, open_;
  std::vector<std::int32_t> words_;
};

// Passes of updates over many sentences. `visited` has the hopes and fears of the last pass that made updates, one
// list for each sentence, each derivation once.
class GraphPasses {
 public:
  GraphPasses(std::vector<const Hypergraph*> graphs,
              const std::vector<std::vector<std::vector<std::int32_t>>>& references, int order, LengthRule length,
              const PseudoCorpusOptions& options, std::size_t most, int threads);

  std::size_t sentences() const { return oracles_.size(); }
  std::vector<double> background() const;
  PassResult run(const GraphFeatures& features, std::span<const std::uint32_t> order, const PassOptions& options,
                 const Box& box, PassState& state);
  std::span<const DerivationEdges> visited() const { return visited_.lists(); }
  ScoredDerivation find(std::size_t sentence, const GraphFeatures& features, std::span<const double> w,
                        double model, double metric, std::span<const double> background);

 private:
  std::vector<std::unique_ptr<GraphOracle>> oracles_;
  int order_;
  PseudoCorpusOptions options_;
  VisitedDerivations visited_;
};

}  // namespace tunesmith
