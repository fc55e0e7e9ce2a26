#include "tuning/graphs/graph_expectation.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/edge_shares.hpp"
#include "tuning/losses/gradient_blocks.hpp"

namespace tunesmith {

SentenceExpectation::SentenceExpectation(const Hypergraph& graph,
                                         const std::vector<std::vector<std::int32_t>>& references, int order,
                                         std::size_t most)
    : graph_(graph),
      order_(static_cast<std::size_t>(order)),
      split_(split_graph(graph, NgramAutomaton(references, order), order, most)) {
  split_.ngram_offsets = {};
  split_.ngrams = {};
}

void SentenceExpectation::distribute(double scale, Space& space) {
  check_bound(std::fabs(scale) * bound_of_sums(graph_, space.scores));
  edge_shares(split_, [&](std::uint32_t e) { return scale * space.scores[split_.edge[e]]; }, space.nodes, shares_);
}

void SentenceExpectation::counts(std::span<double> row, Space& space) const {
  std::fill(row.begin(), row.end(), 0.0);
  expected_uses(split_, shares_, space.uses);
  for (std::size_t node = 0; node < split_.nodes(); ++node) {
    if (space.uses[node] == 0) continue;
    for (std::uint32_t e = split_.node_edges[node]; e < split_.node_edges[node + 1]; ++e) {
      if (shares_[e] == 0) continue;
      const double expected = space.uses[node] * shares_[e];
      row[0] += expected * split_.words[e];
      const float* const matches = split_.matches.data() + e * order_;
      for (std::size_t n = 0; n < order_; ++n) row[1 + n] += expected * static_cast<double>(matches[n]);
      if (shares_[e] < 1) row[1 + order_] -= expected * std::log(shares_[e]);
    }
  }
  for (const double value : row)
    if (!std::isfinite(value)) refuse_size();
}

void SentenceExpectation::slopes(std::span<const double> worth, double entropy, Space& space) const {
  space.slopes.assign(graph_.edges(), 0.0);
  space.below.resize(split_.nodes());
  // What an edge is worth by itself; the entropy of a derivation is that of the choices it makes. Scores change
  // that worth too, by terms that add up to 0 at each node.
  const auto worth_of = [&](std::uint32_t e) {
    double value = worth[0] * split_.words[e];
    const float* const matches = split_.matches.data() + e * order_;
    for (std::size_t n = 0; n < order_; ++n) value += worth[1 + n] * static_cast<double>(matches[n]);
    if (entropy != 0 && shares_[e] > 0) value -= entropy * std::log(shares_[e]);
    for (std::uint32_t t = split_.tail_offsets[e]; t < split_.tail_offsets[e + 1]; ++t)
      value += space.below[split_.tails[t]];
    return value;
  };
  for (std::size_t node = 0; node < split_.nodes(); ++node) {
    double expected = 0;
    for (std::uint32_t e = split_.node_edges[node]; e < split_.node_edges[node + 1]; ++e)
      if (shares_[e] > 0) expected += shares_[e] * worth_of(e);
    space.below[node] = expected;
  }
  // uses: the derivative of the goal's expectation by that of the node. around: that by its inside sum.
  expected_uses(split_, shares_, space.uses);
  space.around.assign(split_.nodes(), 0.0);
  for (std::size_t node = split_.nodes(); node-- > 0;) {
    if (space.uses[node] == 0) continue;
    for (std::uint32_t e = split_.node_edges[node]; e < split_.node_edges[node + 1]; ++e) {
      if (shares_[e] == 0) continue;
      const double advantage = worth_of(e) - space.below[node];
      const double slope = shares_[e] * (space.uses[node] * advantage + space.around[node]);
      space.slopes[split_.edge[e]] += slope;
      for (std::uint32_t t = split_.tail_offsets[e]; t < split_.tail_offsets[e + 1]; ++t)
        space.around[split_.tails[t]] += slope;
    }
  }
}

GraphExpectation::GraphExpectation(std::vector<const Hypergraph*> graphs,
                                   const std::vector<std::vector<std::vector<std::int32_t>>>& references,
                                   int order, std::size_t most, int threads)
    : sentences_(graphs.size()), order_(order) {
  if (order < 1 || order > 9) throw Error("n-gram order " + std::to_string(order) + " is not between 1 and 9");
  if (references.size() != graphs.size()) throw Error("there must be references for each graph");
  parallel_ranges(graphs.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      if (graphs[s]->nodes() > 0)
        sentences_[s] = std::make_unique<SentenceExpectation>(*graphs[s], references[s], order, most);
  });
}

std::size_t GraphExpectation::split_edges() const {
  std::size_t sum = 0;
  for (const auto& sentence : sentences_)
    if (sentence) sum += sentence->split_edges();
  return sum;
}

std::vector<double> GraphExpectation::evaluate(const GraphFeatures& features, std::span<const double> w,
                                               double scale, int threads) {
  std::vector<double> rows(sentences() * width());
  parallel_ranges(sentences(), threads, [&](std::size_t begin, std::size_t end) {
    SentenceExpectation::Space space;
    for (std::size_t s = begin; s < end; ++s)
      if (SentenceExpectation* const sentence = sentences_[s].get()) {
        features.scores(sentence->graph(), w, space.scores);
        sentence->distribute(scale, space);
        sentence->counts({rows.data() + s * width(), width()}, space);
      }
  });
  return rows;
}

void GraphExpectation::gradient(const GraphFeatures& features, std::span<const double> worth, double entropy,
                                double scale, std::span<double> out, int threads) const {
  const std::size_t numbers = width() - 1;
  const auto make_work = [&] {
    return [&, space = SentenceExpectation::Space()](std::size_t s, std::span<double> sum) mutable {
      const SentenceExpectation* const sentence = sentences_[s].get();
      if (sentence == nullptr) return 0.0;
      sentence->slopes(worth.subspan(s * numbers, numbers), entropy, space);
      features.add_all(sentence->graph(), space.slopes, scale, sum);
      return 0.0;
    };
  };
  sum_over_sentences(sentences(), out, threads, make_work);
}

std::uint64_t GraphExpectation::descend(const GraphFeatures& features, std::span<const double> worth,
                                        double entropy, double scale, std::span<const std::uint32_t> order,
                                        const Descent& descent, std::uint64_t steps, std::span<double> weights,
                                        const std::atomic<bool>& stop) {
  check(descent);
  for (const std::uint32_t s : order)
    if (s >= sentences()) throw Error("there is no sentence " + std::to_string(s));
  const std::size_t numbers = width() - 1;
  double factor = 1;  // the weights are factor · `weights` on the way
  SentenceExpectation::Space space;
  for (const std::uint32_t s : order) {
    if (stop.load(std::memory_order_relaxed)) break;
    const double rate = descent.rate / (1 + descent.rate * descent.l2 * static_cast<double>(++steps));
    SentenceExpectation* const sentence = sentences_[s].get();
    if (sentence != nullptr) {
      features.scores(sentence->graph(), weights, space.scores);
      for (double& score : space.scores) score *= factor;
      sentence->distribute(scale, space);
      sentence->slopes(worth.subspan(s * numbers, numbers), entropy, space);
    }
    factor *= 1 - rate * descent.l2;
    if (sentence != nullptr) features.add_all(sentence->graph(), space.slopes, scale * rate / factor, weights);
  }
  for (double& weight : weights) weight *= factor;
  return steps;
}

}  // namespace tunesmith
