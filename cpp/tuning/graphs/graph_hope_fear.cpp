#include "tuning/graphs/graph_hope_fear.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "base/parallel.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/edge_scores.hpp"

namespace tunesmith {
namespace {

constexpr int linearisations = 3;

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

GraphOracle::GraphOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references,
                         int order, LengthRule length, std::size_t most)
    : graph_(graph),
      gains_(references, order, length),
      split_(split_graph(graph, NgramAutomaton(references, order), order, most)) {}

// Viterbi over the split graph; edges of the graph in pre-order.
void GraphOracle::best_split(std::span<const double> scores, double model, double metric, const LinearGain& linear,
                             std::vector<EdgeId>& edges) {
  const std::size_t order = linear.per_match.size();
  value_.resize(split_.nodes());
  choice_.resize(split_.nodes());
  const double per_word = metric * linear.per_word;
  for (std::size_t node = 0; node < split_.nodes(); ++node) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint32_t e = split_.node_edges[node]; e < split_.node_edges[node + 1]; ++e) {
      double value = model * scores[split_.edge[e]] + per_word * split_.words[e];
      const float* const matches = split_.matches.data() + e * order;
      for (std::size_t n = 0; n < order; ++n)
        value += metric * linear.per_match[n] * static_cast<double>(matches[n]);
      for (std::uint32_t t = split_.tail_offsets[e]; t < split_.tail_offsets[e + 1]; ++t)
        value += value_[split_.tails[t]];
      if (value > best || e == split_.node_edges[node]) {
        best = value;
        choice_[node] = e;
      }
    }
    value_[node] = best;
  }
  edges.clear();
  open_.assign(1, static_cast<std::uint32_t>(split_.nodes() - 1));
  while (!open_.empty()) {
    const std::uint32_t e = choice_[open_.back()];
    open_.pop_back();
    if (edges.size() == max_derivation_edges) refuse_size();
    edges.push_back(split_.edge[e]);
    for (std::uint32_t t = split_.tail_offsets[e + 1]; t-- > split_.tail_offsets[e];)
      open_.push_back(split_.tails[t]);
  }
}

ScoredDerivation GraphOracle::find(std::span<const double> scores, double model, double metric,
                                   std::span<const double> background, const PseudoCorpusOptions& options) {
  ScoredDerivation best, next;
  double highest = -std::numeric_limits<double>::infinity();
  const auto consider = [&](const LinearGain& linear) {
    best_split(scores, model, metric, linear, next.edges);
    words_.clear();
    append_words(graph_, next.edges, words_);
    gains_.statistics(words_, next.statistics);
    next.score = 0;
    for (const EdgeId edge : next.edges) next.score += scores[edge];
    next.gain = GraphGains::gain(next.statistics, background, options);
    const double objective = model * next.score + metric * next.gain;
    if (objective > highest) {
      highest = objective;
      best = next;
    }
  };
  const std::size_t order = background.size() / 2 - 1;
  if (model != 0) consider({0, std::vector<double>(order)});
  std::vector<double> point = gains_.good_row();
  for (int i = 0; i < linearisations; ++i) {
    consider(GraphGains::slopes(point, background, options));
    if (point == next.statistics) break;
    point = next.statistics;
  }
  return best;
}

GraphPasses::GraphPasses(std::vector<const Hypergraph*> graphs,
                         const std::vector<std::vector<std::vector<std::int32_t>>>& references, int order,
                         LengthRule length, const PseudoCorpusOptions& options, std::size_t most, int threads)
    : oracles_(graphs.size()), order_(order), options_(options), visited_(graphs.size()) {
  if (references.size() != graphs.size()) throw Error("there must be references for each graph");
  parallel_ranges(graphs.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      if (graphs[s]->nodes() > 0)
        oracles_[s] = std::make_unique<GraphOracle>(*graphs[s], references[s], order, length, most);
  });
}

std::vector<double> GraphPasses::background() const {
  return std::vector<double>(2 + 2 * static_cast<std::size_t>(order_), options_.start);
}

ScoredDerivation GraphPasses::find(std::size_t sentence, const GraphFeatures& features, std::span<const double> w,
                                   double model, double metric, std::span<const double> background) {
  std::vector<double> scores;
  GraphOracle* const oracle = oracles_[sentence].get();
  if (oracle == nullptr) return {};
  features.scores(oracle->graph(), w, scores);
  check_scores(oracle->graph(), scores);
  return oracle->find(scores, model, metric, background, options_);
}

PassResult GraphPasses::run(const GraphFeatures& features, std::span<const std::uint32_t> order,
                            const PassOptions& options, const Box& box, PassState& state) {
  PassResult result;
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
    const ScoredDerivation hope = oracle->find(scores, by_score, 1.0, state.background, options_);
    const ScoredDerivation fear = oracle->find(scores, 1.0, by_gain, state.background, options_);
    const double loss = hope.gain - fear.gain + fear.score - hope.score;
    for (std::size_t i = 0; i < state.background.size(); ++i)
      state.background[i] = options_.decay * state.background[i] + hope.statistics[i];
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
