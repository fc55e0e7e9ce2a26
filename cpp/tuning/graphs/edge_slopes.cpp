#include "tuning/graphs/edge_slopes.hpp"

#include <algorithm>
#include <cmath>

#include "base/narrow.hpp"
#include "base/vectorize.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/viterbi.hpp"

namespace tunesmith {
namespace {

constexpr double small_bound = 1e300;

TUNESMITH_VECTORIZED void add_columns(const float* const* columns, const double* factors, std::size_t count,
                                      std::size_t size, double* out) {
  const auto term = [&](std::size_t i, std::size_t e) { return factors[i] * static_cast<double>(columns[i][e]); };
  switch (count) {
    case 0:
      for (std::size_t e = 0; e < size; ++e) out[e] = 0;
      break;
    case 1:
      for (std::size_t e = 0; e < size; ++e) out[e] = term(0, e);
      break;
    case 2:
      for (std::size_t e = 0; e < size; ++e) out[e] = term(0, e) + term(1, e);
      break;
    default:
      for (std::size_t e = 0; e < size; ++e) out[e] = term(0, e) + term(1, e) + term(2, e);
  }
}

void add_local(const Hypergraph& graph, std::span<const double> local, std::span<double> out) {
  for (std::size_t e = 0; e < out.size(); ++e) out[e] += local[graph.edge_application[e]];
}

double longest_derivation(const Hypergraph& graph) {
  std::vector<double> edges(graph.nodes());
  for (NodeId node = 0; node < graph.nodes(); ++node)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      double sum = 1;
      for (const NodeId tail : graph.tails_of(edge)) sum += edges[tail];
      edges[node] = std::max(edges[node], sum);
    }
  return *std::ranges::max_element(edges);
}

// The largest distance from 0; infinite if there is a number that is not finite.
double farthest(std::span<const double> scores) {
  double most = 0;
  bool finite = true;
  for (const double score : scores) {
    finite = finite && std::isfinite(score);
    most = std::max(most, std::abs(score));
  }
  return finite ? most : INFINITY;
}

}  // namespace

EdgeSlopes::EdgeSlopes(std::size_t sentences, std::size_t most) : most_(most), sentences_(sentences) {}

void EdgeSlopes::begin(std::span<const double> point, std::span<const double> directions) {
  if (points_ == 0 || !std::ranges::equal(point, point_)) {
    point_.assign(point.begin(), point.end());
    ++points_;
  }
  plans_.clear();
  for (std::size_t at = 0; at < directions.size(); at += point.size()) {
    const std::span<const double> direction = directions.subspan(at, point.size());
    Plan plan;
    for (std::size_t i = 0; i < direction.size() && plan.ids.size() <= few; ++i)
      if (direction[i] != 0) plan.ids.push_back(narrow<std::uint32_t>(i));
    if (plan.ids.size() == 1 && places_.size() < most_)
      places_.emplace(plan.ids[0], narrow<std::uint32_t>(places_.size()));
    if (plan.ids.size() > few) plan.ids.clear();
    for (const std::uint32_t id : plan.ids) plan.factors.push_back(direction[id]);
    plan.direction.assign(direction.begin(), direction.end());
    plans_.push_back(std::move(plan));
  }
}

EdgeSlopes::Point& EdgeSlopes::at_point(const Hypergraph& graph, std::size_t sentence,
                                        const GraphFeatures& features, Point& space) {
  Sentence& of = sentences_[sentence];
  Point& point = most_ > 0 ? of.point : space;
  if (most_ > 0 && of.number == points_) return point;
  of.number = 0;
  score_point(graph, of, features, point);
  if (of.longest == 0) of.longest = longest_derivation(graph);
  point.bound = farthest(point.scores) * of.longest;
  if (!(point.bound <= small_bound)) point.bound = bound_of_sums(graph, point.scores);
  point.best.clear();
  append_best(graph, viterbi(graph, point.scores), point.best);
  point.translation = -1;
  of.number = points_;
  return point;
}

void EdgeSlopes::score_point(const Hypergraph& graph, Sentence& of, const GraphFeatures& features,
                             Point& point) const {
  if (most_ == 0) return features.scores(graph, point_, point.scores);
  const LocalRows& kept = rows(graph, of, features);
  std::vector<double> local(graph.applications.size());
  for (std::size_t a = 0; a < local.size(); ++a)
    for (std::uint32_t i = kept.offsets[a]; i < kept.offsets[a + 1]; ++i)
      local[a] += point_[kept.ids[i]] * static_cast<double>(kept.values[i]);
  features.scores(graph, point_, local, point.scores);
}

// Rows of F are far from each other in memory.
const EdgeSlopes::LocalRows& EdgeSlopes::rows(const Hypergraph& graph, Sentence& of,
                                              const GraphFeatures& features) const {
  LocalRows& rows = of.rows;
  if (rows.offsets.size() == graph.applications.size() + 1) return rows;
  for (const Application& application : graph.applications) {
    features.visit_rule(application.rule, [&](std::uint32_t id, float value) {
      rows.ids.push_back(id);
      rows.values.push_back(value);
    });
    rows.offsets.push_back(narrow<std::uint32_t>(rows.ids.size()));
  }
  return rows;
}

const EdgeSlopes::Column& EdgeSlopes::column(const Hypergraph& graph, Sentence& of, const GraphFeatures& features,
                                             std::uint32_t id, Column& space) const {
  const auto place = places_.find(id);
  if (place == places_.end()) {
    space = {};
    fill(graph, of, features, id, space);
    return space;
  }
  if (of.columns.size() <= place->second) of.columns.resize(places_.size());
  Column& kept = of.columns[place->second];
  if (!kept.made) fill(graph, of, features, id, kept);
  return kept;
}

void EdgeSlopes::fill(const Hypergraph& graph, Sentence& of, const GraphFeatures& features, std::uint32_t id,
                      Column& out) const {
  std::vector<double> unit(features.columns()), local(graph.applications.size()), scores;
  unit[id] = 1;
  features.scores(graph, unit, local, scores);  // without rules
  if (farthest(scores) > 0) {
    out.values.resize(scores.size());
    for (std::size_t e = 0; e < scores.size(); ++e) {
      out.values[e] = static_cast<float>(scores[e]);
      out.exact = out.exact && static_cast<double>(out.values[e]) == scores[e];
    }
  }
  Sentence other;
  const LocalRows& from = rows(graph, most_ > 0 ? of : other, features);
  for (std::size_t a = 0; a < local.size(); ++a)
    for (std::uint32_t i = from.offsets[a]; i < from.offsets[a + 1]; ++i)
      if (from.ids[i] == id) local[a] = static_cast<double>(from.values[i]);
  if (farthest(local) > 0) {
    out.local.assign(local.begin(), local.end());
    add_local(graph, local, scores);
  }
  out.bound = bound_of_sums(graph, scores);
  out.made = true;
}

double EdgeSlopes::write(const Hypergraph& graph, std::size_t sentence, const GraphFeatures& features,
                         std::size_t direction, std::span<double> out, std::vector<double>& space) {
  const Plan& plan = plans_[direction];
  const float* values[few];
  double factors[few];
  double bound = 0;
  std::size_t of_edges = 0;
  bool exact = !plan.ids.empty();
  std::vector<double> local;
  Column spaces[few];
  for (std::size_t i = 0; i < plan.ids.size() && exact; ++i) {
    const Column& found = column(graph, sentences_[sentence], features, plan.ids[i], spaces[i]);
    if (!found.values.empty()) {
      values[of_edges] = found.values.data();
      factors[of_edges++] = plan.factors[i];
    }
    if (!found.local.empty()) local.resize(found.local.size());
    for (std::size_t a = 0; a < found.local.size(); ++a)
      local[a] += plan.factors[i] * static_cast<double>(found.local[a]);
    bound += std::abs(plan.factors[i]) * found.bound;
    exact = found.exact;
  }
  if (!exact) {
    features.scores(graph, plan.direction, space);
    std::ranges::copy(space, out.begin());
    return bound_of_sums(graph, space);
  }
  check_bound(bound);
  add_columns(values, factors, of_edges, out.size(), out.data());
  if (!local.empty()) add_local(graph, local, out);
  return bound;
}

}  // namespace tunesmith
