#include "tuning/graphs/graph_features.hpp"

#include <string>

#include "base/error.hpp"
#include "search/matrices/dense_dots.hpp"

namespace tunesmith {

GraphFeatures::GraphFeatures(const FeatureMatrix* rules, std::size_t columns) : rules_(rules), columns_(columns) {
  if (rules != nullptr && rules->columns() > columns)
    throw Error("rules have " + std::to_string(rules->columns()) + " features, more than the " +
                std::to_string(columns) + " columns");
}

void GraphFeatures::check(const Hypergraph& graph) const {
  if (rules_ != nullptr)
    for (const Application& application : graph.applications)
      if (application.rule >= rules_->rows() && application.rule != no_rule)
        throw Error("a graph uses rule " + std::to_string(application.rule) + "; the model has " +
                    std::to_string(rules_->rows()));
  for (const std::vector<std::uint32_t>* ids : {&graph.dense_ids, &graph.sparse_ids})
    for (const std::uint32_t id : *ids)
      if (id >= columns_)
        throw Error("a graph has feature " + std::to_string(id) + "; there are " + std::to_string(columns_));
}

void GraphFeatures::scores(const Hypergraph& graph, std::span<const double> w, std::vector<double>& out) const {
  std::vector<double> local(rules_ == nullptr ? 0 : graph.applications.size());
  for (std::size_t i = 0; i < local.size(); ++i)
    if (graph.applications[i].rule != no_rule) local[i] = rules_->score(graph.applications[i].rule, w);
  scores(graph, w, local, out);
}

void GraphFeatures::scores(const Hypergraph& graph, std::span<const double> w, std::span<const double> local,
                           std::vector<double>& out) const {
  const std::size_t edges = graph.edges(), width = graph.dense_ids.size();
  out.assign(edges, 0.0);
  if (width > 0) {
    std::vector<double> dense(width);
    for (std::size_t i = 0; i < width; ++i) dense[i] = w[graph.dense_ids[i]];
    dense_dots(graph.dense.data(), edges, width, dense.data(), out.data());
  }
  if (rules_ != nullptr)
    for (std::size_t e = 0; e < edges; ++e) out[e] += local[graph.edge_application[e]];
  if (graph.has_sparse())
    for (EdgeId e = 0; e < edges; ++e) {
      double sum = out[e];
      for (std::uint32_t i = graph.sparse_offsets[e]; i < graph.sparse_offsets[e + 1]; ++i)
        sum += w[graph.sparse_ids[i]] * static_cast<double>(graph.sparse_values[i]);
      out[e] = sum;
    }
}

void GraphFeatures::add(const Hypergraph& graph, EdgeId edge, double scale, std::span<double> w) const {
  visit(graph, edge, [&](std::uint32_t id, float value) { w[id] += scale * static_cast<double>(value); });
}

void GraphFeatures::add_all(const Hypergraph& graph, std::span<const double> amounts, double scale,
                            std::span<double> w) const {
  const std::size_t width = graph.dense_ids.size();
  std::vector<double> dense(width), of_application(graph.applications.size());
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    const double amount = scale * amounts[e];
    if (amount == 0) continue;
    of_application[graph.edge_application[e]] += amount;
    const float* const values = graph.dense.data() + e * width;
    for (std::size_t i = 0; i < width; ++i) dense[i] += amount * static_cast<double>(values[i]);
    const std::span<const std::uint32_t> ids = graph.sparse_ids_of(e);
    const std::span<const float> sparse = graph.sparse_values_of(e);
    for (std::size_t i = 0; i < ids.size(); ++i) w[ids[i]] += amount * static_cast<double>(sparse[i]);
  }
  for (std::size_t i = 0; i < width; ++i) w[graph.dense_ids[i]] += dense[i];
  if (rules_ == nullptr) return;
  for (std::size_t i = 0; i < of_application.size(); ++i)
    if (const RuleId rule = graph.applications[i].rule; rule != no_rule && of_application[i] != 0)
      rules_->visit_row(
          rule, [&](std::uint32_t id, float value) { w[id] += of_application[i] * static_cast<double>(value); });
}

}  // namespace tunesmith
