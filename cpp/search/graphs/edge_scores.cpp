#include "search/graphs/edge_scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

// Room for adding up three of them.
constexpr double largest_sum = 1e307;

void check_finite(std::span<const double> scores) {
  for (std::size_t edge = 0; edge < scores.size(); ++edge)
    if (!std::isfinite(scores[edge]))
      throw Error("the score of edge " + std::to_string(edge) +
                  " is not finite; look for NaN or infinite weights and local scores");
}

}  // namespace

std::vector<double> edge_scores(const Hypergraph& graph, std::span<const double> application_scores,
                                std::span<const double> weights) {
  return edge_scores(graph, application_scores, weights, weights);
}

std::vector<double> edge_scores(const Hypergraph& graph, std::span<const double> application_scores,
                                std::span<const double> weights, std::span<const double> sparse_weights) {
  if (application_scores.size() != graph.applications.size())
    throw Error(std::to_string(application_scores.size()) + " local scores for " +
                std::to_string(graph.applications.size()) + " applications");
  const auto weight = [](std::span<const double> of, std::uint32_t id) { return id < of.size() ? of[id] : 0.0; };
  std::vector<double> dense_weights;
  for (const std::uint32_t id : graph.dense_ids) dense_weights.push_back(weight(weights, id));

  std::vector<double> scores(graph.edges());
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    double score = application_scores[graph.edge_application[edge]];
    const std::span<const float> dense = graph.dense_of(edge);
    for (std::size_t i = 0; i < dense.size(); ++i) score += dense_weights[i] * static_cast<double>(dense[i]);
    const std::span<const std::uint32_t> ids = graph.sparse_ids_of(edge);
    const std::span<const float> values = graph.sparse_values_of(edge);
    for (std::size_t i = 0; i < ids.size(); ++i)
      score += weight(sparse_weights, ids[i]) * static_cast<double>(values[i]);
    scores[edge] = score;
  }
  check_finite(scores);
  return scores;
}

void check_scores(const Hypergraph& graph, std::span<const double> scores) {
  bound_of_sums(graph, scores);
}

void check_bound(double bound) {
  if (!(bound <= largest_sum))
    throw Error("scores of derivations add up to more than a number can hold; look for huge weights");
}

double bound_of_sums(const Hypergraph& graph, std::span<const double> scores) {
  if (scores.size() != graph.edges())
    throw Error(std::to_string(scores.size()) + " scores for " + std::to_string(graph.edges()) + " edges");
  check_finite(scores);
  // Per node: no sum of scores of a derivation, and no logarithm of a sum over derivations, is farther from 0.
  std::vector<double> bounds(graph.nodes());
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    double most = 0;
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      double sum = std::fabs(scores[edge]);
      for (const NodeId tail : graph.tails_of(edge)) sum += bounds[tail];
      most = std::max(most, sum);
    }
    const EdgeId choices = graph.node_edges[node + 1] - graph.node_edges[node];
    bounds[node] = choices == 1 ? most : most + std::bit_width(choices);  // above the logarithm
    if (bounds[node] > largest_sum)
      throw Error("the scores of derivations of node " + std::to_string(node) +
                  " add up to more than a number can hold; look for huge weights and local scores");
  }
  return bounds.empty() ? 0 : *std::max_element(bounds.begin(), bounds.end());
}

}  // namespace tunesmith
