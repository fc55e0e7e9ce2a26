// The features of the edges of search graphs: scores under any weights, and sums for updates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/feature_matrix.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// An edge has the row of its rule in F, its dense block and its sparse pairs.
class GraphFeatures {
 public:
  // rules: F, which outlives this; null for graphs whose edges have all their features themselves.
  // columns: features that edges may have; weight vectors are that long.
  GraphFeatures(const FeatureMatrix* rules, std::size_t columns);

  std::size_t columns() const { return columns_; }
  // Throws Error for a rule or a feature that does not exist.
  void check(const Hypergraph& graph) const;

  // out[e] = features of edge e · w. The dense block is summed as the rows of candidate lists are
  // (dense_dots.hpp), so that a graph made of a list has the same scores to the last bit.
  void scores(const Hypergraph& graph, std::span<const double> w, std::vector<double>& out) const;
  // The same with a score of each application in the place of its rule's.
  void scores(const Hypergraph& graph, std::span<const double> w, std::span<const double> local,
              std::vector<double>& out) const;
  // w += scale · features of an edge.
  void add(const Hypergraph& graph, EdgeId edge, double scale, std::span<double> w) const;
  // w += Σ_e scale · amounts[e] · features of edge e, the rules of each application once.
  void add_all(const Hypergraph& graph, std::span<const double> amounts, double scale, std::span<double> w) const;

  // Calls visit(id, value) for the features of a rule, ids ascending.
  template <class Visit>
  void visit_rule(RuleId rule, Visit visit) const {
    if (rules_ != nullptr && rule != no_rule) rules_->visit_row(rule, visit);
  }
  // Calls visit(id, value) for the features of an edge; an id may come several times.
  template <class Visit>
  void visit(const Hypergraph& graph, EdgeId edge, Visit visit) const {
    visit_rule(graph.applications[graph.edge_application[edge]].rule, visit);
    const std::span<const float> dense = graph.dense_of(edge);
    for (std::size_t i = 0; i < dense.size(); ++i) visit(graph.dense_ids[i], dense[i]);
    const std::span<const std::uint32_t> ids = graph.sparse_ids_of(edge);
    const std::span<const float> values = graph.sparse_values_of(edge);
    for (std::size_t i = 0; i < ids.size(); ++i) visit(ids[i], values[i]);
  }

 private:
  const FeatureMatrix* rules_;
  std::size_t columns_;
};

}  // namespace tunesmith
