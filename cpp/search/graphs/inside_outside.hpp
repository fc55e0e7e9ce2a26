// Sums over all derivations, in any semiring; posteriors and expectations from them.
#pragma once

#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "search/graphs/semiring.hpp"

namespace tunesmith {

// Per node: the sum over its derivations of the product of the values of their edges (Goodman 1999).
// `value_of(edge)` gives a value of S. O(edges × arity) operations of S.
template <class S, class ValueOf>
std::vector<S> inside(const Hypergraph& graph, ValueOf value_of) {
  std::vector<S> sums(graph.nodes(), S::zero());
  for (NodeId node = 0; node < graph.nodes(); ++node)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      S product = value_of(edge);
      for (const NodeId tail : graph.tails_of(edge)) product.multiply(sums[tail]);
      sums[node].add(product);
    }
  return sums;
}

// Per node: the same sum over everything around it in derivations of the goal; zero where there is none.
// O(edges × arity²), with arities of 0 to 3.
template <class S, class ValueOf>
std::vector<S> outside(const Hypergraph& graph, const std::vector<S>& inside, ValueOf value_of) {
  std::vector<S> sums(graph.nodes(), S::zero());
  if (graph.nodes() == 0) return sums;
  sums[graph.goal()] = S::one();
  for (NodeId node = graph.goal() + 1; node-- > 0;)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      const std::span<const NodeId> tails = graph.tails_of(edge);
      for (std::size_t i = 0; i < tails.size(); ++i) {
        S product = sums[node];
        product.multiply(value_of(edge));
        for (std::size_t j = 0; j < tails.size(); ++j)
          if (j != i) product.multiply(inside[tails[j]]);
        sums[tails[i]].add(product);
      }
    }
  return sums;
}

// Per edge: the sum over the derivations that use it, once for each use.
template <class S, class ValueOf>
std::vector<S> through(const Hypergraph& graph, ValueOf value_of) {
  const std::vector<S> below = inside<S>(graph, value_of);
  const std::vector<S> around = outside<S>(graph, below, value_of);
  std::vector<S> sums(graph.edges(), S::zero());
  for (NodeId node = 0; node < graph.nodes(); ++node)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      sums[edge] = around[node];
      sums[edge].multiply(value_of(edge));
      for (const NodeId tail : graph.tails_of(edge)) sums[edge].multiply(below[tail]);
    }
  return sums;
}

// Scores are one finite number per edge in all that follows; p(derivation) ∝ exp(its score).

// Number of derivations of each node, and its logarithm.
std::vector<double> derivation_counts(const Hypergraph& graph);
std::vector<double> log_derivation_counts(const Hypergraph& graph);

// Per node: log Σ exp(score) over its derivations; that of the goal is log Z.
std::vector<double> log_inside(const Hypergraph& graph, std::span<const double> scores);

// Per edge: the best score of a derivation of the goal that uses it, -infinity where there is none.
std::vector<double> max_marginals(const Hypergraph& graph, std::span<const double> scores);

// Per edge: how often a derivation uses it in expectation; the probability of the edge, where no derivation uses
// an edge twice (as in graphs of decoders).
std::vector<double> posteriors(const Hypergraph& graph, std::span<const double> scores);

// Expected features of a derivation: how often each application is used, the dense block, and the sparse pairs by
// rising id. The expectation of a whole feature vector is G·applications plus these.
struct Expectations {
  std::vector<double> applications;
  std::vector<double> dense;
  std::vector<std::uint32_t> sparse_ids;
  std::vector<double> sparse_values;
};
Expectations expectations(const Hypergraph& graph, std::span<const double> posteriors);

}  // namespace tunesmith
