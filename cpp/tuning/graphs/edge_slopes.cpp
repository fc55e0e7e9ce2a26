#include "tuning/graphs/edge_slopes.hpp"

#include <algorithm>
#include <cmath>

#include "base/narrow.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/viterbi.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t few = 3;  // features of a direction that is a sum of columns, as for lists

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
    std::vector<std::uint32_t> moving;
    for (std::size_t i = 0; i < direction.size() && moving.size() <= few; ++i)
      if (direction[i] != 0) moving.push_back(narrow<std::uint32_t>(i));
    if (moving.size() == 1 && ids_.size() < most_ &&
        places_.emplace(moving[0], narrow<std::uint32_t>(ids_.size())).second)
      ids_.push_back(moving[0]);
    const bool kept = !moving.empty() && moving.size() <= few &&
                      std::ranges::all_of(moving, [&](std::uint32_t id) { return places_.contains(id); });
    if (kept)
      for (const std::uint32_t id : moving) {
        plan.columns.push_back(places_.at(id));
        plan.factors.push_back(direction[id]);
      }
    plan.direction.assign(direction.begin(), direction.end());
    plans_.push_back(std::move(plan));
  }
}

const EdgeSlopes::Point& EdgeSlopes::at_point(const Hypergraph& graph, std::size_t sentence,
                                              const GraphFeatures& features, Point& space) {
  Sentence& of = sentences_[sentence];
  Point& point = most_ > 0 ? of.point : space;
  if (most_ > 0 && of.number == points_) return point;
  of.number = 0;
  features.scores(graph, point_, point.scores);
  point.bound = bound_of_sums(graph, point.scores);
  point.best.clear();
  append_best(graph, viterbi(graph, point.scores), point.best);
  of.number = points_;
  return point;
}

const EdgeSlopes::Column& EdgeSlopes::column(const Hypergraph& graph, Sentence& of, const GraphFeatures& features,
                                             std::uint32_t place, std::vector<double>& space) const {
  if (of.columns.size() <= place) of.columns.resize(ids_.size());
  Column& found = of.columns[place];
  if (!found.exact || !found.values.empty()) return found;
  std::vector<double> unit(features.columns());
  unit[ids_[place]] = 1;
  features.scores(graph, unit, space);
  found.bound = bound_of_sums(graph, space);
  found.values.resize(space.size());
  for (std::size_t e = 0; e < space.size(); ++e) {
    found.values[e] = static_cast<float>(space[e]);
    found.exact = found.exact && static_cast<double>(found.values[e]) == space[e];
  }
  if (!found.exact) found.values = {};
  return found;
}

double EdgeSlopes::write(const Hypergraph& graph, std::size_t sentence, const GraphFeatures& features,
                         std::size_t direction, double* out, std::size_t stride, std::vector<double>& space) {
  const Plan& plan = plans_[direction];
  const float* values[few];
  double bound = 0;
  bool exact = !plan.columns.empty();
  for (std::size_t i = 0; i < plan.columns.size() && exact; ++i) {
    const Column& kept = column(graph, sentences_[sentence], features, plan.columns[i], space);
    values[i] = kept.values.data();
    bound += std::abs(plan.factors[i]) * kept.bound;
    exact = kept.exact;
  }
  const std::size_t edges = graph.edges();
  if (!exact) {
    features.scores(graph, plan.direction, space);
    bound = bound_of_sums(graph, space);
    for (std::size_t e = 0; e < edges; ++e) out[e * stride] = space[e];
    return bound;
  }
  check_bound(bound);
  const auto term = [&](std::size_t i, std::size_t e) {
    return plan.factors[i] * static_cast<double>(values[i][e]);
  };
  switch (plan.columns.size()) {
    case 1:
      for (std::size_t e = 0; e < edges; ++e) out[e * stride] = term(0, e);
      break;
    case 2:
      for (std::size_t e = 0; e < edges; ++e) out[e * stride] = term(0, e) + term(1, e);
      break;
    default:
      for (std::size_t e = 0; e < edges; ++e) out[e * stride] = term(0, e) + term(1, e) + term(2, e);
  }
  return bound;
}

}  // namespace tunesmith
