#include "search/graphs/inside_outside.hpp"

#include <algorithm>

namespace tunesmith {
namespace {

// The numbers of a vector of semiring values.
template <class S, class NumberOf>
std::vector<double> numbers(const std::vector<S>& values, NumberOf number_of) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const S& value : values) out.push_back(number_of(value));
  return out;
}

}  // namespace

std::vector<double> derivation_counts(const Hypergraph& graph) {
  return numbers(inside<Count>(graph, [](EdgeId) { return Count::one(); }),
                 [](const Count& x) { return x.number; });
}

std::vector<double> log_derivation_counts(const Hypergraph& graph) {
  return numbers(inside<Log>(graph, [](EdgeId) { return Log::one(); }), [](const Log& x) { return x.log(); });
}

std::vector<double> log_inside(const Hypergraph& graph, std::span<const double> scores) {
  return numbers(inside<Log>(graph, [&](EdgeId edge) { return Log::of(scores[edge]); }),
                 [](const Log& x) { return x.log(); });
}

std::vector<double> max_marginals(const Hypergraph& graph, std::span<const double> scores) {
  return numbers(through<Best>(graph, [&](EdgeId edge) { return Best::of(scores[edge]); }),
                 [](const Best& x) { return x.score; });
}

std::vector<double> posteriors(const Hypergraph& graph, std::span<const double> scores) {
  const auto value_of = [&](EdgeId edge) { return Log::of(scores[edge]); };
  const std::vector<Log> sums = through<Log>(graph, value_of);
  // Every derivation of the goal has one of its edges on top.
  Log total = Log::zero();
  for (std::size_t edge = graph.nodes() == 0 ? sums.size() : graph.node_edges[graph.goal()]; edge < sums.size();
       ++edge)
    total.add(sums[edge]);
  return numbers(sums, [&](const Log& x) {
    return x.scale == 0 ? 0.0 : x.scale / total.scale * std::exp(x.shift - total.shift);
  });
}

Expectations expectations(const Hypergraph& graph, std::span<const double> posteriors) {
  Expectations out;
  out.applications.assign(graph.applications.size(), 0);
  out.dense.assign(graph.dense_ids.size(), 0);
  std::vector<std::pair<std::uint32_t, double>> pairs;
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    const double p = posteriors[edge];
    out.applications[graph.edge_application[edge]] += p;
    const std::span<const float> dense = graph.dense_of(edge);
    for (std::size_t i = 0; i < dense.size(); ++i) out.dense[i] += p * static_cast<double>(dense[i]);
    const std::span<const std::uint32_t> ids = graph.sparse_ids_of(edge);
    const std::span<const float> values = graph.sparse_values_of(edge);
    for (std::size_t i = 0; i < ids.size(); ++i) pairs.emplace_back(ids[i], p * static_cast<double>(values[i]));
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, value] : pairs) {
    if (out.sparse_ids.empty() || out.sparse_ids.back() != id) {
      out.sparse_ids.push_back(id);
      out.sparse_values.push_back(0);
    }
    out.sparse_values.back() += value;
  }
  return out;
}

}  // namespace tunesmith
