#include "tuning/graphs/linear_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "search/graphs/derivations.hpp"

namespace tunesmith {
namespace {

constexpr int first_steps = 6, further_steps = 4, end_steps = 2, depth_between = 2;
constexpr std::size_t neighbours = 4;
constexpr double shorter = 0.25, longer = 2.0;
constexpr double nearly_the_same = 0.01;

}  // namespace

LinearOracle::LinearOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references,
                           const GainMeasure& measure, const TokenNumbers& tokens, std::size_t most)
    : GraphOracle(graph), gains_(references, measure), tokens_(tokens) {
  const NgramAutomaton automaton(references, measure.order);
  split_ = split_graph(graph, automaton, measure.order, most, tokens);
  split_.matches = {};
  for (std::size_t state = 0; state < automaton.states(); ++state)
    lengths_.push_back(automaton.length(static_cast<std::uint32_t>(state)));
  if (measure.is_nist())
    for (std::size_t state = 0; state < automaton.states(); ++state) {
      automaton.words(static_cast<std::uint32_t>(state), words_);
      information_.push_back(measure.information->of(words_));
    }
  most_.assign(lengths_.size(), 0.0);
  for (const std::vector<std::int32_t>& reference : references) {
    counts_.assign(lengths_.size(), 0.0);
    std::uint32_t state = 0;
    for (const std::int32_t word : reference) {
      state = automaton.next(state, word);
      for (std::uint32_t end = state; end != 0; end = automaton.suffix(end)) counts_[end] += 1;
    }
    for (std::size_t i = 0; i < most_.size(); ++i) most_[i] = std::max(most_[i], counts_[i]);
  }
}

double LinearOracle::split_value(const Worth& worth, std::uint32_t edge) const {
  double gain = worth[0] * split_.words[edge];
  for (std::uint32_t n = split_.ngram_offsets[edge]; n < split_.ngram_offsets[edge + 1]; ++n)
    gain += worth[split_.ngrams[n]];
  double value = model_ * scores_[split_.edge[edge]] + metric_ * gain;
  for (std::uint32_t t = split_.tail_offsets[edge]; t < split_.tail_offsets[edge + 1]; ++t)
    value += value_[split_.tails[t]];
  return value;
}

void LinearOracle::best_split(const Worth& worth) {
  value_.resize(split_.nodes());
  choice_.resize(split_.nodes());
  for (std::size_t node = 0; node < split_.nodes(); ++node) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint32_t e = split_.node_edges[node]; e < split_.node_edges[node + 1]; ++e) {
      const double value = split_value(worth, e);
      if (value > best || e == split_.node_edges[node]) {
        best = value;
        choice_[node] = e;
      }
    }
    value_[node] = best;
  }
}

void LinearOracle::read(std::size_t place, std::uint32_t instead) {
  edges_.clear();
  nodes_.clear();
  counts_.assign(lengths_.size(), 0.0);
  open_.assign(1, static_cast<std::uint32_t>(split_.nodes() - 1));
  while (!open_.empty()) {
    const std::uint32_t e = edges_.size() == place ? instead : choice_[open_.back()];
    if (edges_.size() == max_derivation_edges) refuse_size();
    nodes_.push_back(open_.back());
    open_.pop_back();
    edges_.push_back(split_.edge[e]);
    counts_[0] += split_.words[e];
    for (std::uint32_t n = split_.ngram_offsets[e]; n < split_.ngram_offsets[e + 1]; ++n)
      counts_[split_.ngrams[n]] += 1;
    for (std::uint32_t t = split_.tail_offsets[e + 1]; t-- > split_.tail_offsets[e];)
      open_.push_back(split_.tails[t]);
  }
}

// The place of the derivation among the candidates, with its exact objective.
std::size_t LinearOracle::add_read() {
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (candidates_[i].derivation.edges == edges_) return i;
  Candidate found;
  words_.clear();
  counted_.clear();
  append_words(graph(), edges_, words_);
  tokens_.append(words_, counted_);
  gains_.statistics(counted_, found.derivation.statistics);
  for (const EdgeId edge : edges_) found.derivation.score += scores_[edge];
  found.derivation.gain = gains_.gain(found.derivation.statistics, background_);
  found.derivation.edges = edges_;
  found.counts = counts_;
  found.objective = model_ * found.derivation.score + metric_ * found.derivation.gain;
  candidates_.push_back(std::move(found));
  return candidates_.size() - 1;
}

LinearOracle::Answer LinearOracle::answer(Worth worth) {
  for (const Answer& before : answers_) {
    const bool same = std::ranges::equal(
        before.worth, worth, [](double a, double b) { return std::abs(a - b) <= nearly_the_same * std::abs(a); });
    if (same) return before;
  }
  best_split(worth);
  read();
  answers_.push_back({std::move(worth), add_read()});
  return answers_.back();
}

void LinearOracle::search_near(std::size_t best) {
  struct Other {
    double loss;
    std::size_t place;
    std::uint32_t edge;
  };
  Worth shares(lengths_.size(), 1.0);
  update(shares, candidates_[best]);
  const Worth worth = worth_at(candidates_[best].derivation.statistics, shares);
  best_split(worth);
  read();
  add_read();
  std::vector<Other> others;
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    const std::uint32_t node = nodes_[place];
    for (std::uint32_t e = split_.node_edges[node]; e < split_.node_edges[node + 1]; ++e)
      if (e != choice_[node]) others.push_back({value_[node] - split_value(worth, e), place, e});
  }
  const std::size_t few = std::min(neighbours, others.size());
  const auto nearer = [](const Other& a, const Other& b) {
    return std::tie(a.loss, a.place, a.edge) < std::tie(b.loss, b.place, b.edge);
  };
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(few), others.end(), nearer);
  for (std::size_t i = 0; i < few; ++i) {
    read(others[i].place, others[i].edge);
    add_read();
  }
}

LinearOracle::Worth LinearOracle::worth_at(std::span<const double> row, const Worth& shares) const {
  const LinearGain slopes = gains_.slopes(row, background_);
  Worth worth(shares);
  worth[0] = slopes.per_word;
  for (std::size_t i = 1; i < worth.size(); ++i) worth[i] *= slopes.per_match[lengths_[i] - 1];
  for (std::size_t i = 1; i < information_.size(); ++i) worth[i] *= information_[i];
  return worth;
}

// How much of an n-gram's worth a derivation gets every time it has it, once this derivation was found.
void LinearOracle::update(Worth& shares, const Candidate& found) const {
  for (std::size_t i = 1; i < shares.size(); ++i) {
    const double more = found.counts[i] - most_[i];
    if (metric_ < 0)
      shares[i] = more > 0 ? 0.0 : 1.0;
    else if (more > 0)
      shares[i] *= most_[i] / found.counts[i];
    else if (more < 0)
      shares[i] = std::min(1.0, 1.5 * shares[i]);
  }
}

// From a point, again at what was found, until it stays the same. The shares are those of the last search.
LinearOracle::Answer LinearOracle::descend(std::vector<double> row, Worth& shares, int steps) {
  Answer found;
  Worth next = shares;
  for (int i = 0; i < steps; ++i) {
    shares = next;
    found = answer(worth_at(row, shares));
    const Candidate& best = candidates_[found.best];
    update(next, best);
    if (next == shares && row == best.derivation.statistics) break;
    row = best.derivation.statistics;
  }
  return found;
}

double LinearOracle::linear(const Worth& worth, const Candidate& found) const {
  double gain = 0;
  for (std::size_t i = 0; i < worth.size(); ++i) gain += worth[i] * found.counts[i];
  return model_ * found.derivation.score + metric_ * gain;
}

// Derivations that are the best somewhere between two linear gains.
void LinearOracle::search_between(const Answer& left, const Answer& right, int depth) {
  if (left.best == right.best || depth == 0) return;
  const Candidate &a = candidates_[left.best], &b = candidates_[right.best];
  const double left_ahead = linear(left.worth, a) - linear(left.worth, b);
  const double right_ahead = linear(right.worth, b) - linear(right.worth, a);
  if (!(left_ahead + right_ahead > 0)) return;
  const double share = left_ahead / (left_ahead + right_ahead);
  Worth between(left.worth.size());
  for (std::size_t i = 0; i < between.size(); ++i)
    between[i] = (1 - share) * left.worth[i] + share * right.worth[i];
  const Answer middle = answer(std::move(between));
  if (middle.best == left.best || middle.best == right.best) return;
  search_between(left, middle, depth - 1);
  search_between(middle, right, depth - 1);
}

std::size_t LinearOracle::best_so_far() const {
  const auto lower = [](const Candidate& a, const Candidate& b) { return a.objective < b.objective; };
  return static_cast<std::size_t>(std::ranges::max_element(candidates_, lower) - candidates_.begin());
}

ScoredDerivation LinearOracle::find(std::span<const double> scores, double model, double metric,
                                    std::span<const double> background) {
  scores_ = scores;
  background_ = background;
  model_ = model;
  metric_ = metric;
  candidates_.clear();
  answers_.clear();
  const Worth whole(lengths_.size(), 1.0);
  Worth shares = whole;
  if (model != 0) answer(Worth(lengths_.size()));
  descend(gains_.good_row(), shares, first_steps);
  if (model != 0 && metric < 0) {
    Worth of_model = whole;
    update(of_model, candidates_[0]);
    descend(candidates_[0].derivation.statistics, of_model, further_steps);
    shares = whole;
  }
  const std::vector<double> around = candidates_[best_so_far()].derivation.statistics;
  const auto end = [&](double factor) {
    std::vector<double> row = around;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i != 1) row[i] *= factor;  // the references stay as long as they are
    Worth from = shares;
    return descend(std::move(row), from, end_steps);
  };
  const Answer left = end(shorter), right = end(longer);
  search_between(left, right, depth_between);
  search_near(best_so_far());
  return candidates_[best_so_far()].derivation;
}

}  // namespace tunesmith
