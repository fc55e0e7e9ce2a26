#include "tuning/graphs/many_viterbi.hpp"

#include <cstring>
#include <limits>

#include "base/vectorize.hpp"
#include "search/graphs/derivations.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t lines = ManyViterbi::lines, lanes = ManyViterbi::lanes;
constexpr double infinity = std::numeric_limits<double>::infinity();

// All lanes as one value (GCC and Clang); loaded and stored through memory of any alignment.
using Doubles = double __attribute__((vector_size(lanes * sizeof(double))));
using Integers = std::int64_t __attribute__((vector_size(lanes * sizeof(std::int64_t))));

// steps: line × lanes, 0 where a probe is on another line: adding 0 · slope changes nothing.
TUNESMITH_VECTORIZED_512 void pass(const Hypergraph& graph, const double* heights, const double* slopes,
                                   const double* steps, double* values, std::int64_t* choices) {
  const EdgeId* const node_edges = graph.node_edges.data();
  const std::uint32_t* const tail_offsets = graph.tail_offsets.data();
  const NodeId* const tails = graph.tails.data();
  const std::size_t nodes = graph.nodes(), edges = graph.edges();
  Doubles step[lines];
  std::memcpy(step, steps, sizeof(step));
  for (std::size_t node = 0; node < nodes; ++node) {
    Doubles best = Doubles{} - infinity;
    Integers choice = Integers{} + static_cast<std::int64_t>(node_edges[node]);
    for (EdgeId edge = node_edges[node]; edge < node_edges[node + 1]; ++edge) {
      Doubles score = Doubles{} + heights[edge];
      for (std::size_t line = 0; line < lines; ++line) score += step[line] * slopes[line * edges + edge];
      for (std::uint32_t t = tail_offsets[edge]; t < tail_offsets[edge + 1]; ++t) {
        Doubles tail;
        std::memcpy(&tail, values + tails[t] * lanes, sizeof(tail));
        score += tail;
      }
      const Integers better = score > best;
      choice = better ? Integers{} + static_cast<std::int64_t>(edge) : choice;
      best = better ? score : best;
    }
    std::memcpy(values + node * lanes, &best, sizeof(best));
    std::memcpy(choices + node * lanes, &choice, sizeof(choice));
  }
}

}  // namespace

void ManyViterbi::run(const Hypergraph& graph, std::span<const double> heights, std::span<const double> slopes,
                      std::span<const Probe> probes) {
  values_.resize(graph.nodes() * lanes);
  choices_.resize(graph.nodes() * lanes);
  double steps[lines * lanes] = {};
  for (std::size_t i = 0; i < probes.size(); ++i) steps[probes[i].line * lanes + i] = probes[i].step;
  pass(graph, heights.data(), slopes.data(), steps, values_.data(), choices_.data());
}

void ManyViterbi::derivation(const Hypergraph& graph, std::size_t probe, std::vector<EdgeId>& edges) {
  edges.clear();
  open_.assign(1, graph.goal());
  while (!open_.empty()) {
    const auto edge = static_cast<EdgeId>(choices_[open_.back() * lanes + probe]);
    open_.pop_back();
    if (edges.size() == max_derivation_edges) refuse_size();
    edges.push_back(edge);
    const std::span<const NodeId> tails = graph.tails_of(edge);
    open_.insert(open_.end(), tails.rbegin(), tails.rend());
  }
}

}  // namespace tunesmith
