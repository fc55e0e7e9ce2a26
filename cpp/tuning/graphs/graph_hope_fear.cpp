#include "tuning/graphs/graph_hope_fear.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "base/parallel.hpp"
#include "search/graphs/edge_scores.hpp"
#include "tuning/graphs/exact_oracle.hpp"
#include "tuning/graphs/linear_oracle.hpp"

namespace tunesmith {
namespace {

// Features of a derivation, ids ascending.
void features_of(const Hypergraph& graph, std::span<const EdgeId> edges, const GraphFeatures& features,
                 std::vector<std::uint32_t>& ids, std::vector<double>& values) {
  std::map<std::uint32_t, double> sums;
  for (const EdgeId edge : edges)
    features.visit(graph, edge, [&](std::uint32_t id, float value) { sums[id] += static_cast<double>(value); });
  ids.clear();
  values.clear();
  for (const auto& [id, value] : sums) {
    ids.push_back(id);
    values.push_back(value);
  }
}

}  // namespace

GraphPasses::GraphPasses(std::vector<const Hypergraph*> graphs,
                         const std::vector<std::vector<std::vector<std::int32_t>>>& references,
                         GainMeasure measure, TokenNumbers tokens, bool exact, std::size_t most, int threads)
    : oracles_(graphs.size()),
      measure_(std::make_unique<const GainMeasure>(std::move(measure))),
      tokens_(std::make_unique<const TokenNumbers>(std::move(tokens))),
      visited_(graphs.size()) {
  if (references.size() != graphs.size()) throw Error("there must be references for each graph");
  tokens_->check();
  parallel_ranges(graphs.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const Hypergraph& graph = *graphs[s];
      if (graph.nodes() == 0) continue;
      tokens_->check(graph);
      if (exact)
        oracles_[s] = std::make_unique<ExactOracle>(graph, references[s], *measure_, *tokens_, most);
      else
        oracles_[s] = std::make_unique<LinearOracle>(graph, references[s], *measure_, *tokens_, most);
    }
  });
}

ScoredDerivation GraphPasses::find(std::size_t sentence, const GraphFeatures& features, std::span<const double> w,
                                   double model, double metric, std::span<const double> background) {
  std::vector<double> scores;
  GraphOracle* const oracle = oracles_[sentence].get();
  if (oracle == nullptr) return {};
  features.scores(oracle->graph(), w, scores);
  check_scores(oracle->graph(), scores);
  return oracle->find(scores, model, metric, background);
}

PassResult GraphPasses::run(const GraphFeatures& features, std::span<const std::uint32_t> order,
                            const PassOptions& options, const Box& box, PassState& state, double loss_before) {
  PassResult result;
  result.loss = loss_before;
  visited_ = VisitedDerivations(oracles_.size());
  std::vector<double> scores;
  std::vector<std::uint32_t> hope_ids, fear_ids;
  std::vector<double> hope_values, fear_values;
  RowDifference difference;
  for (const std::uint32_t sentence : order) {
    ++state.steps;
    GraphOracle* const oracle = oracles_[sentence].get();
    if (oracle == nullptr) continue;
    const Hypergraph& graph = oracle->graph();
    features.scores(graph, state.weights, scores);
    const double by_score = options.hope == Hope::gain ? 0.0 : 1.0;
    const double by_gain = options.fear == Fear::model ? 0.0 : -1.0;
    const ScoredDerivation hope = oracle->find(scores, by_score, 1.0, state.background);
    const ScoredDerivation fear = oracle->find(scores, 1.0, by_gain, state.background);
    const double loss = hope.gain - fear.gain + fear.score - hope.score;
    for (std::size_t i = 0; i < state.background.size(); ++i)
      state.background[i] = measure_->corpus.decay * state.background[i] + hope.statistics[i];
    if (hope.edges == fear.edges || !(loss > 0)) continue;
    visited_.add(sentence, hope.edges);
    visited_.add(sentence, fear.edges);
    features_of(graph, hope.edges, features, hope_ids, hope_values);
    features_of(graph, fear.edges, features, fear_ids, fear_values);
    difference.subtract(hope_ids, hope_values, fear_ids, fear_values);
    passive_aggressive_step(difference, loss, options.step_cap, box, state, result);
  }
  return result;
}

}  // namespace tunesmith
