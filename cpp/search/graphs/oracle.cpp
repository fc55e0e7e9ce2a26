#include "search/graphs/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "search/graphs/oracle_metric.hpp"
#include "search/graphs/reference_matches.hpp"

namespace tunesmith {
namespace {

// A derivation of a node: as in k-best lists, with its words as numbers and what they match.
struct Hypothesis {
  double score;     // of the model
  double estimate;  // of the objective; the objective itself at the goal
  EdgeId edge;
  std::uint32_t ranks;
  std::size_t words_begin, words_size;
  std::uint64_t state;  // equal for hypotheses with the same future
};

class OracleSearch {
 public:
  OracleSearch(const Hypergraph& graph, std::span<const double> scores, ReferenceMatches& references,
               const OracleMetric& metric, const LinearMetric& linear, std::span<const std::int32_t> numbers,
               const OracleOptions& options)
      : graph_(graph),
        scores_(scores),
        numbers_(numbers),
        options_(options),
        references_(references),
        metric_(metric),
        linear_(linear),
        found_(graph.nodes()) {}

  Oracles run() {
    Oracles out;
    if (graph_.nodes() == 0) return out;
    const std::vector<char> needed = needed_nodes();
    for (NodeId node = 0; node < graph_.nodes(); ++node)
      if (needed[node]) fill(node);
    const std::vector<Hypothesis>& best = found_.back();
    for (std::size_t rank = 0; rank < std::min(options_.k, best.size()); ++rank)
      append(static_cast<std::uint32_t>(rank), out);
    out.derivations.cut = cut_;
    return out;
  }

 private:
  std::vector<char> needed_nodes() const {
    std::vector<char> needed(graph_.nodes(), 0);
    needed.back() = 1;
    for (NodeId node = graph_.goal() + 1; node-- > 0;)
      if (needed[node])
        for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge)
          for (const NodeId tail : graph_.tails_of(edge)) needed[tail] = 1;
    return needed;
  }

  bool better(const Hypothesis& a, const Hypothesis& b) const {
    if (a.estimate != b.estimate) return a.estimate > b.estimate;
    if (a.edge != b.edge) return a.edge < b.edge;
    const std::size_t arity = graph_.tails_of(a.edge).size();
    const std::uint32_t* ranks = ranks_.data();
    return std::lexicographical_compare(ranks + a.ranks, ranks + a.ranks + arity, ranks + b.ranks,
                                        ranks + b.ranks + arity);
  }

  void fill(NodeId node) {
    const auto worse = [this](const Hypothesis& a, const Hypothesis& b) { return better(b, a); };
    std::vector<Hypothesis> heap;
    for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge) {
      const std::size_t ranks = ranks_.size();
      ranks_.resize(ranks + graph_.tails_of(edge).size(), 0);
      heap.push_back(make(node, edge, ranks));
    }
    std::make_heap(heap.begin(), heap.end(), worse);

    std::vector<Hypothesis>& found = found_[node];
    std::unordered_map<std::uint64_t, std::size_t> by_state;
    while (!heap.empty()) {
      if (found.size() >= options_.beam) {
        cut_ = true;
        break;
      }
      std::pop_heap(heap.begin(), heap.end(), worse);
      const Hypothesis next = heap.back();
      heap.pop_back();
      for (const Hypothesis& successor : successors(node, next)) {
        heap.push_back(successor);
        std::push_heap(heap.begin(), heap.end(), worse);
      }
      const auto [at, fresh] = by_state.try_emplace(next.state, found.size());
      if (fresh)
        found.push_back(next);
      else if (better(next, found[at->second]))  // estimates do not fall from rank to rank as scores do
        found[at->second] = next;
    }
    std::sort(found.begin(), found.end(),
              [this](const Hypothesis& a, const Hypothesis& b) { return better(a, b); });
  }

  // Successors as in kbest.cpp: one rank raised by one, at or after the last that is not 0.
  std::vector<Hypothesis> successors(NodeId node, const Hypothesis& one) {
    const std::span<const NodeId> tails = graph_.tails_of(one.edge);
    std::size_t first = tails.size();
    while (first > 1 && ranks_[one.ranks + first - 1] == 0) --first;
    std::vector<Hypothesis> out;
    for (std::size_t i = first == 0 ? 0 : first - 1; i < tails.size(); ++i) {
      if (ranks_[one.ranks + i] + 1 >= found_[tails[i]].size()) continue;
      const std::size_t ranks = ranks_.size();
      for (std::size_t j = 0; j < tails.size(); ++j) ranks_.push_back(ranks_[one.ranks + j]);
      ++ranks_[ranks + i];
      out.push_back(make(node, one.edge, ranks));
    }
    return out;
  }

  Hypothesis make(NodeId node, EdgeId edge, std::size_t ranks) {
    if (ranks >= 0xFFFFFFFFu) throw Error("the beam is too large for this graph");
    const std::span<const NodeId> tails = graph_.tails_of(edge);
    const auto tail = [&](std::size_t i) -> const Hypothesis& { return found_[tails[i]][ranks_[ranks + i]]; };
    Hypothesis one{scores_[edge], 0, edge, static_cast<std::uint32_t>(ranks), words_.size(), 0, 0};
    for (std::size_t i = 0; i < tails.size(); ++i) one.score += tail(i).score;
    for (std::uint32_t at = graph_.symbol_offsets[edge]; at < graph_.symbol_offsets[edge + 1]; ++at) {
      const std::int32_t symbol = graph_.symbols[at];
      if (symbol >= 0) {
        words_.push_back(std::max(numbers_[at], -1));
        continue;
      }
      const Hypothesis& part = tail(static_cast<std::size_t>(-1 - symbol));
      for (std::size_t i = 0; i < part.words_size; ++i) words_.push_back(words_[part.words_begin + i]);
    }
    one.words_size = words_.size() - one.words_begin;
    if (one.words_size > max_derivation_words) refuse_size();

    double matches[max_oracle_order];
    const std::span<const std::int32_t> words{words_.data() + one.words_begin, one.words_size};
    one.state = state(words, references_.match(words, matches));
    double metric = linear_(words.size(), matches);
    if (node == graph_.goal()) {
      double row[max_oracle_width];
      metric_.fill_row(words.size(), matches, row);
      metric = metric_(row);
    }
    one.estimate = options_.model * one.score + options_.metric * metric;
    if (!std::isfinite(one.estimate))
      throw Error("model score and metric add up to no number; look for huge factors, scores or statistics");
    return one;
  }

  // Length, the n-grams of the references inside (`ngrams`), and the words that new neighbours meet.
  std::uint64_t state(std::span<const std::int32_t> words, std::uint64_t ngrams) const {
    const auto reach = std::min(words.size(), static_cast<std::size_t>(options_.order - 1));
    std::uint64_t hash = mix(words.size(), ngrams);
    for (std::size_t i = 0; i < reach; ++i) hash = mix(hash, static_cast<std::uint64_t>(words[i]));
    for (std::size_t i = words.size() - reach; i < words.size(); ++i)
      hash = mix(hash, static_cast<std::uint64_t>(words[i]));
    return hash;
  }

  void append(std::uint32_t rank, Oracles& out) {
    const Hypothesis& one = found_.back()[rank];
    Derivations& list = out.derivations;
    list.scores.push_back(one.score);
    append_edges(
        graph_, graph_.goal(), rank,
        [this](NodeId node, std::uint32_t at) {
          const Hypothesis& part = found_[node][at];
          return std::pair(part.edge, ranks_.data() + part.ranks);
        },
        list.edges);
    list.edge_offsets.push_back(list.edges.size());
    append_words(graph_, list.edges_of(list.size() - 1), list.words);
    list.word_offsets.push_back(list.words.size());

    double matches[max_oracle_order], row[max_oracle_width];
    references_.match({words_.data() + one.words_begin, one.words_size}, matches);
    metric_.fill_row(one.words_size, matches, row);
    out.statistics.insert(out.statistics.end(), row, row + statistics_width(options_.order));
    out.objective.push_back(one.estimate);
    out.metric.push_back(metric_(row));
  }

  const Hypergraph& graph_;
  const std::span<const double> scores_;
  const std::span<const std::int32_t> numbers_;
  const OracleOptions& options_;
  ReferenceMatches& references_;
  const OracleMetric& metric_;
  const LinearMetric& linear_;
  std::vector<std::vector<Hypothesis>> found_;  // per node, best first
  std::vector<std::uint32_t> ranks_;
  std::vector<std::int32_t> words_;
  bool cut_ = false;
};

}  // namespace

Oracles oracle(const Hypergraph& graph, std::span<const double> scores,
               const std::vector<std::vector<std::int32_t>>& references,
               std::span<const std::int32_t> symbol_numbers, const OracleOptions& options) {
  if (symbol_numbers.size() != graph.symbols.size())
    throw Error(std::to_string(symbol_numbers.size()) + " numbers for " + std::to_string(graph.symbols.size()) +
                " symbols");
  if (options.k == 0 || options.beam == 0) throw Error("k and beam must be 1 or more");
  if (!std::isfinite(options.model) || !std::isfinite(options.metric))
    throw Error("the parts of model score and metric are not finite");
  ReferenceMatches matches(references, options.order);  // checks the order, which is used from here on
  if (!options.background.empty() && options.background.size() != statistics_width(options.order))
    throw Error("a background of " + std::to_string(options.background.size()) + " statistics, expected " +
                std::to_string(statistics_width(options.order)));
  for (const double number : options.background)
    if (!std::isfinite(number)) throw Error("the background statistics are not finite");

  const OracleMetric metric(options, matches.lengths());
  const auto search = [&](const std::vector<double>& point) {
    const LinearMetric linear(metric, point);
    return OracleSearch(graph, scores, matches, metric, linear, symbol_numbers, options).run();
  };
  Oracles first = search(metric.good_row());
  if (!first.derivations.cut) return first;
  Oracles second = search(metric.near_row(std::span(first.statistics).first(statistics_width(options.order))));
  return second.objective[0] > first.objective[0] ? second : first;
}

}  // namespace tunesmith
