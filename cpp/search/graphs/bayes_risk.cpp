#include "search/graphs/bayes_risk.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "search/graphs/derivations.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/edge_shares.hpp"
#include "search/graphs/viterbi.hpp"

namespace tunesmith {
namespace {

// Lists of numbers, one after the other.
struct Lists {
  std::vector<std::uint32_t> offsets, items;
  std::span<const std::uint32_t> of(std::size_t i) const {
    return {items.data() + offsets[i], items.data() + offsets[i + 1]};
  }
};

// Makes lists of pairs (list, item) that `visit(add)` gives twice, in the same order.
template <class Visit>
Lists listed(std::size_t size, Visit visit) {
  Lists out;
  out.offsets.assign(size + 1, 0);
  visit([&](std::size_t list, std::uint32_t) { ++out.offsets[list + 1]; });
  for (std::size_t i = 0; i < size; ++i) out.offsets[i + 1] += out.offsets[i];
  out.items.resize(out.offsets[size]);
  std::vector<std::uint32_t> next(out.offsets.begin(), out.offsets.end() - 1);
  visit([&](std::size_t list, std::uint32_t item) { out.items[next[list]++] = item; });
  return out;
}

// The probability that an n-gram is nowhere, from the edges that do not have it. Only nodes above one that does
// are examined; below all others it is nowhere for certain.
class Absence {
 public:
  Absence(const NgramGraph& graph, const std::vector<double>& shares)
      : graph_(graph), shares_(shares), head_(graph.edges()), absent_(graph.nodes(), 1.0), seen_(graph.nodes()) {
    for (std::size_t node = 0; node < graph.nodes(); ++node)
      for (std::uint32_t e = graph.node_edges[node]; e < graph.node_edges[node + 1]; ++e)
        head_[e] = static_cast<std::uint32_t>(node);
    users_ = listed(graph.nodes(), [&](auto add) {
      for (std::uint32_t e = 0; e < graph.edges(); ++e)
        for (std::uint32_t t = graph.tail_offsets[e]; t < graph.tail_offsets[e + 1]; ++t) add(graph.tails[t], e);
    });
    marked_.assign(graph.edges(), false);
  }

  double of(std::span<const std::uint32_t> edges) {
    for (const std::uint32_t e : edges) {
      marked_[e] = true;
      push(head_[e]);
    }
    while (!open_.empty()) {
      const std::uint32_t node = open_.top();
      open_.pop();
      double sum = 0;
      for (std::uint32_t e = graph_.node_edges[node]; e < graph_.node_edges[node + 1]; ++e) {
        if (marked_[e]) continue;
        double product = shares_[e];
        for (std::uint32_t t = graph_.tail_offsets[e]; t < graph_.tail_offsets[e + 1]; ++t)
          product *= absent_[graph_.tails[t]];
        sum += product;
      }
      absent_[node] = sum;
      for (const std::uint32_t e : users_.of(node)) push(head_[e]);
    }
    const double found = absent_.back();
    for (const std::uint32_t node : touched_) {
      absent_[node] = 1;
      seen_[node] = false;
    }
    for (const std::uint32_t e : edges) marked_[e] = false;
    touched_.clear();
    return found;
  }

 private:
  void push(std::uint32_t node) {
    if (seen_[node]) return;
    seen_[node] = true;
    touched_.push_back(node);
    open_.push(node);
  }

  const NgramGraph& graph_;
  const std::vector<double>& shares_;
  std::vector<std::uint32_t> head_;
  std::vector<double> absent_;
  std::vector<bool> seen_, marked_;
  std::vector<std::uint32_t> touched_;
  Lists users_;  // edges that have a node as a tail
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open_;
};

}  // namespace

NgramEvidenceGraph evidence_graph(const Hypergraph& graph, std::span<const double> scores,
                                  const BayesRiskOptions& options) {
  check_bound(std::fabs(options.scale) * bound_of_sums(graph, scores));
  NgramEvidenceGraph out;
  if (graph.nodes() == 0) return out;
  std::vector<EdgeId> best;
  append_best(graph, viterbi(graph, scores), best);
  std::vector<std::int32_t> words;
  append_words(graph, best, words);
  const double wanted = options.density * static_cast<double>(std::max<std::size_t>(words.size(), 1));
  std::size_t edges = options.density > 0 && wanted < static_cast<double>(graph.edges())
                          ? static_cast<std::size_t>(wanted)
                          : graph.edges();
  while (true) {
    out.part = prune_to_size(graph, scores, edges, PruneBy::max_marginal);
    // The best derivation stays in any case, and alone it has as many edges as before.
    const bool last = out.part.graph.edges() <= best.size();
    const std::size_t most = last ? ~std::size_t{0} : options.most;
    if (auto split = ngram_graph(out.part.graph, static_cast<int>(options.thetas.per_ngram.size()), most)) {
      out.split = *std::move(split);
      break;
    }
    edges = out.part.graph.edges() / 2;
  }
  for (const EdgeId edge : out.part.edges) out.scores.push_back(options.scale * scores[edge]);
  return out;
}

std::vector<double> ngram_posteriors(const NgramGraph& graph, std::span<const double> scores,
                                     NgramEvidence evidence) {
  std::vector<double> inside, shares, uses, found(graph.numbers.size());
  edge_shares(graph, [&](std::uint32_t e) { return scores[graph.edge[e]]; }, inside, shares);
  expected_uses(graph, shares, uses);
  for (std::size_t node = 0; node < graph.nodes(); ++node)
    for (std::uint32_t e = graph.node_edges[node]; e < graph.node_edges[node + 1]; ++e)
      for (const std::uint32_t ngram : graph.ngrams_of(e)) found[ngram] += uses[node] * shares[e];
  if (evidence == NgramEvidence::expected || graph.nodes() == 0) return found;
  const Lists having = listed(graph.numbers.size(), [&](auto add) {
    for (std::uint32_t e = 0; e < graph.edges(); ++e)
      for (const std::uint32_t ngram : graph.ngrams_of(e)) add(ngram, e);
  });
  Absence absence(graph, shares);
  for (std::size_t ngram = 0; ngram < found.size(); ++ngram)
    if (found[ngram] > 0) found[ngram] = std::clamp(1 - absence.of(having.of(ngram)), 0.0, 1.0);
  return found;
}

BayesRiskBest best_by_gain(const NgramGraph& graph, std::span<const double> posteriors,
                           const LinearThetas& thetas) {
  BayesRiskBest out;
  if (graph.nodes() == 0) return out;
  std::vector<double> values(graph.nodes());
  std::vector<std::uint32_t> choices(graph.nodes());
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    values[node] = -std::numeric_limits<double>::infinity();
    for (std::uint32_t e = graph.node_edges[node]; e < graph.node_edges[node + 1]; ++e) {
      double value = thetas.per_word * graph.words[e];
      for (const std::uint32_t ngram : graph.ngrams_of(e))
        value += thetas.per_ngram[graph.numbers.length(ngram) - 1] * posteriors[ngram];
      for (std::uint32_t t = graph.tail_offsets[e]; t < graph.tail_offsets[e + 1]; ++t)
        value += values[graph.tails[t]];
      if (value > values[node]) {
        values[node] = value;
        choices[node] = e;
      }
    }
  }
  out.gain = values.back();
  std::vector<std::uint32_t> open{static_cast<std::uint32_t>(graph.nodes() - 1)};
  while (!open.empty()) {
    const std::uint32_t e = choices[open.back()];
    open.pop_back();
    if (out.edges.size() == max_derivation_edges) refuse_size();
    out.edges.push_back(graph.edge[e]);
    for (std::uint32_t t = graph.tail_offsets[e + 1]; t-- > graph.tail_offsets[e];) open.push_back(graph.tails[t]);
  }
  return out;
}

BayesRiskBest bayes_risk(const Hypergraph& graph, std::span<const double> scores,
                         const BayesRiskOptions& options) {
  const NgramEvidenceGraph found = evidence_graph(graph, scores, options);
  const std::vector<double> posteriors = ngram_posteriors(found.split, found.scores, options.evidence);
  BayesRiskBest best = best_by_gain(found.split, posteriors, options.thetas);
  for (EdgeId& edge : best.edges) edge = found.part.edges[edge];
  return best;
}

}  // namespace tunesmith
