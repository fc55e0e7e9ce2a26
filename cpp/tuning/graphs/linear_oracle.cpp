#include "tuning/graphs/linear_oracle.hpp"

#include <limits>

#include "search/graphs/derivations.hpp"

namespace tunesmith {
namespace {

constexpr int linearisations = 3;

}  // namespace

LinearOracle::LinearOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references,
                           int order, LengthRule length, const TokenNumbers& tokens, std::size_t most)
    : GraphOracle(graph),
      gains_(references, order, length),
      tokens_(tokens),
      split_(split_graph(graph, NgramAutomaton(references, order), order, most, tokens)) {}

// Viterbi over the split graph; edges of the graph in pre-order.
void LinearOracle::best_split(std::span<const double> scores, double model, double metric,
                              const LinearGain& linear, std::vector<EdgeId>& edges) {
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
  matches_.assign(order, 0.0);
  open_.assign(1, static_cast<std::uint32_t>(split_.nodes() - 1));
  while (!open_.empty()) {
    const std::uint32_t e = choice_[open_.back()];
    open_.pop_back();
    if (edges.size() == max_derivation_edges) refuse_size();
    edges.push_back(split_.edge[e]);
    for (std::size_t n = 0; n < order; ++n) matches_[n] += static_cast<double>(split_.matches[e * order + n]);
    for (std::uint32_t t = split_.tail_offsets[e + 1]; t-- > split_.tail_offsets[e];)
      open_.push_back(split_.tails[t]);
  }
}

ScoredDerivation LinearOracle::find(std::span<const double> scores, double model, double metric,
                                    std::span<const double> background, const PseudoCorpusOptions& options) {
  ScoredDerivation best, next;
  double highest = -std::numeric_limits<double>::infinity();
  const auto consider = [&](const LinearGain& linear) {
    best_split(scores, model, metric, linear, next.edges);
    words_.clear();
    counted_.clear();
    append_words(graph(), next.edges, words_);
    tokens_.append(words_, counted_);
    gains_.statistics(counted_, next.statistics);
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
  std::vector<double> of_model, share(order, 1.0);
  if (model != 0) {
    consider({0, std::vector<double>(order)});
    of_model = next.statistics;
  }
  // From a point, again at what was found, until it stays the same.
  const auto descend = [&](std::vector<double> point) {
    for (int i = 0; i < linearisations; ++i) {
      LinearGain linear = GraphGains::slopes(point, background, options);
      for (std::size_t n = 0; n < order; ++n) linear.per_match[n] *= share[n];
      consider(linear);
      if (point == next.statistics) return;
      point = next.statistics;
    }
  };
  descend(gains_.good_row());
  bool clipped = false;
  for (std::size_t n = 0; n < order; ++n)
    if (next.statistics[2 + n] < matches_[n]) {
      clipped = true;
      share[n] = next.statistics[2 + n] / matches_[n];
    }
  if (clipped) descend(next.statistics);
  if (!of_model.empty() && metric < 0) {
    share.assign(order, 1.0);
    descend(std::move(of_model));
  }
  return best;
}

}  // namespace tunesmith
