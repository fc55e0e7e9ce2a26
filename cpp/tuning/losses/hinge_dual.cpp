#include "tuning/losses/hinge_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/parallel.hpp"
#include "tuning/losses/random.hpp"

namespace tunesmith {
namespace {

constexpr int kPassesARound = 100;
constexpr double kShareOfGap = 0.1;       // planes are exact enough when so much of the gap is theirs
constexpr std::uint32_t kIdleRounds = 8;  // then a plane without multiplier is dropped
constexpr double kPull = 0.3;             // of the mean square of a feature's differences
constexpr std::size_t kSamples = 8;       // candidates of a list that are examined for it

}  // namespace

HingeDual::HingeDual(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> gains,
                     BoundedQuadratic penalty)
    : matrix_(matrix),
      lists_(lists),
      gains_(gains),
      penalty_(std::move(penalty)),
      share_(lists.size() == 0 ? 0.0 : 1.0 / static_cast<double>(lists.size())),
      v_(matrix.columns()),
      w_(matrix.columns()),
      pull_(matrix.columns()),
      center_(matrix.columns()),
      oracles_(lists.size(), -1),
      planes_(lists.size()),
      rest_(lists.size(), share_),
      scores_(lists.rows()),
      slack_(lists.size()),
      worst_(lists.size()) {
  if (gains.size() != lists.rows() || matrix.rows() != lists.rows())
    throw Error("there must be one gain and one row of features for each candidate");
  const std::size_t columns = matrix.columns();
  if (penalty_.curvature.size() != columns || penalty_.lower.size() != columns || penalty_.upper.size() != columns)
    throw Error("there must be a curvature and two bounds for each of " + std::to_string(columns) + " features");
  for (std::size_t j = 0; j < columns; ++j) {
    if (!(penalty_.lower[j] <= penalty_.upper[j])) throw Error("a lower bound must not be above the upper one");
    if (fixed(j) ? !std::isfinite(penalty_.lower[j]) || !(penalty_.curvature[j] >= 0)
                 : !(penalty_.curvature[j] > 0))
      throw Error("feature " + std::to_string(j) + " needs a curvature above 0, or equal finite bounds");
    if (!std::isfinite(penalty_.curvature[j])) throw Error("curvatures must be finite numbers");
    refresh(j);
  }
  best_ = w_;
}

void HingeDual::refresh(std::size_t j) {
  w_[j] = fixed(j) ? penalty_.lower[j] : bounded(j, (v_[j] + pull_[j] * center_[j]) / stiffness(j));
}

void HingeDual::refresh_all() {
  for (std::size_t j = 0; j < w_.size(); ++j) refresh(j);
}

// No pull where the penalty is strong enough by itself.
void HingeDual::choose_pull() {
  std::fill(pull_.begin(), pull_.end(), 0.0);
  for (std::size_t s = 0; s < lists_.size(); ++s) {
    const std::size_t samples = std::min(kSamples, lists_.length(s));
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t other = lists_.begin(s) + i * lists_.length(s) / samples;
      difference_.compute(matrix_, static_cast<std::size_t>(oracles_[s]), other);
      for (std::size_t k = 0; k < difference_.ids.size(); ++k)
        pull_[difference_.ids[k]] += difference_.values[k] * difference_.values[k] / static_cast<double>(samples);
    }
  }
  const double factor = kPull * share_;
  for (std::size_t j = 0; j < pull_.size(); ++j)
    pull_[j] = fixed(j) ? 0.0 : std::max(0.0, factor * pull_[j] - penalty_.curvature[j]);
}

// Moves the centre to the current weights; false if it is there.
bool HingeDual::move_center() {
  bool moved = false;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    if (pull_[j] == 0) continue;
    moved = moved || center_[j] != w_[j];
    center_[j] = w_[j];
    refresh(j);
  }
  return moved;
}

void HingeDual::forget(std::size_t s) {
  planes_[s].clear();
  rest_[s] = share_;
}

void HingeDual::select(std::span<const std::int64_t> oracles) {
  if (oracles.size() != lists_.size()) throw Error("there must be one oracle for each sentence");
  for (std::size_t s = 0; s < lists_.size(); ++s) {
    const auto begin = static_cast<std::int64_t>(lists_.begin(s)), end = static_cast<std::int64_t>(lists_.end(s));
    if (begin == end ? oracles[s] != -1 : oracles[s] < begin || oracles[s] >= end)
      throw Error("the oracle of sentence " + std::to_string(s) + " is none of its candidates");
  }
  for (std::size_t s = 0; s < lists_.size(); ++s) {
    if (oracles[s] == oracles_[s]) continue;
    forget(s);
    oracles_[s] = oracles[s];
  }
  std::fill(v_.begin(), v_.end(), 0.0);
  for (const std::vector<Plane>& planes : planes_)
    for (const Plane& plane : planes)
      for (std::size_t k = 0; k < plane.ids.size(); ++k) v_[plane.ids[k]] += plane.multiplier * plane.values[k];
  center_ = w_;
  choose_pull();
  refresh_all();
}

double HingeDual::primal_and_worst(int threads) {
  matrix_.all_dots(w_, scores_.data(), threads);
  parallel_ranges(lists_.size(), threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first; s < last; ++s) {
      const std::size_t begin = lists_.begin(s), end = lists_.end(s);
      slack_[s] = 0;
      worst_[s] = begin;
      if (begin == end) continue;
      for (std::size_t e = begin + 1; e < end; ++e)
        if (scores_[e] - gains_[e] > scores_[worst_[s]] - gains_[worst_[s]]) worst_[s] = e;
      const auto oracle = static_cast<std::size_t>(oracles_[s]);
      slack_[s] = (scores_[worst_[s]] - gains_[worst_[s]]) - (scores_[oracle] - gains_[oracle]);
    }
  });
  double losses = 0, penalty = 0;
  for (const double slack : slack_) losses += slack;
  for (std::size_t j = 0; j < w_.size(); ++j) penalty += penalty_.curvature[j] * w_[j] * w_[j];
  return share_ * losses + penalty / 2;
}

double HingeDual::dual() const {
  double value = 0;
  for (const std::vector<Plane>& planes : planes_)
    for (const Plane& plane : planes) value += plane.multiplier * plane.cost;
  for (std::size_t j = 0; j < w_.size(); ++j) {
    const double w = fixed(j) ? penalty_.lower[j] : bounded(j, v_[j] / penalty_.curvature[j]);
    value -= v_[j] * w - penalty_.curvature[j] * w * w / 2;
  }
  return value;
}

std::uint64_t HingeDual::add_planes() {
  std::uint64_t added = 0;
  for (std::size_t s = 0; s < lists_.size(); ++s) {
    std::vector<Plane>& planes = planes_[s];
    for (Plane& plane : planes) plane.idle = plane.multiplier > 0 ? 0 : plane.idle + 1;
    std::erase_if(planes, [](const Plane& plane) { return plane.idle > kIdleRounds; });
    if (!(slack_[s] > 0)) continue;
    const auto found = std::find_if(planes.begin(), planes.end(),
                                    [&](const Plane& plane) { return plane.candidate == worst_[s]; });
    if (found != planes.end()) {
      found->idle = 0;
      continue;
    }
    const auto oracle = static_cast<std::size_t>(oracles_[s]);
    difference_.compute(matrix_, oracle, worst_[s]);
    planes.push_back(
        {worst_[s], 0, gains_[oracle] - gains_[worst_[s]], 0, 0, difference_.ids, difference_.values});
    ++added;
  }
  return added;
}

// Moves as much as is best from the multiplier of the least violated plane that has one to that of the most
// violated plane; the oracle is a plane that is violated by 0.
void HingeDual::step(std::size_t s) {
  std::vector<Plane>& planes = planes_[s];
  Plane nothing;
  Plane *up = &nothing, *down = rest_[s] > 0 ? &nothing : nullptr;
  nothing.multiplier = rest_[s];
  for (Plane& plane : planes) {
    if (plane.violation > up->violation) up = &plane;
    if (plane.multiplier > 0 && (down == nullptr || plane.violation < down->violation)) down = &plane;
  }
  if (down == nullptr || up == down) return;
  const double gain = up->violation - down->violation;
  if (!(gain > 0)) return;
  difference_.subtract(up->ids, up->values, down->ids, down->values);
  double curvature = 0;
  for (std::size_t k = 0; k < difference_.ids.size(); ++k) {
    const std::size_t j = difference_.ids[k];
    if (!fixed(j)) curvature += difference_.values[k] * difference_.values[k] / stiffness(j);
  }
  const double moved = std::min(gain / curvature, down->multiplier);  // without a curvature: all of it
  if (!(moved > 0)) return;
  up->multiplier += moved;
  down->multiplier -= moved;
  rest_[s] = nothing.multiplier;
  for (std::size_t k = 0; k < difference_.ids.size(); ++k) {
    const std::size_t j = difference_.ids[k];
    v_[j] += moved * difference_.values[k];
    refresh(j);
  }
  ++steps_;
}

// A step on one sentence; gives its part of the gap between the planes and the dual before it. One step a visit:
// with a weak penalty, what a second one would gain is undone by the steps of other sentences.
double HingeDual::visit(std::size_t s) {
  double highest = 0, paid = 0;
  for (Plane& plane : planes_[s]) {
    double margin = 0;
    for (std::size_t k = 0; k < plane.ids.size(); ++k) margin += w_[plane.ids[k]] * plane.values[k];
    plane.violation = plane.cost - margin;
    highest = std::max(highest, plane.violation);
    paid += plane.multiplier * plane.violation;
  }
  step(s);
  return share_ * highest - paid;
}

CuttingResult HingeDual::solve(const CuttingOptions& options, int threads, const std::atomic<bool>& stop) {
  for (std::size_t s = 0; s < lists_.size(); ++s)
    if (oracles_[s] < 0 && lists_.length(s) > 0)
      throw Error("sentence " + std::to_string(s) + " has no oracle yet");
  CuttingResult result;
  result.primal = std::numeric_limits<double>::infinity();
  result.dual = -result.primal;
  steps_ = 0;
  std::vector<std::uint32_t> order;
  while (true) {
    const double primal = primal_and_worst(threads);
    result.dual = std::max(result.dual, dual());
    if (primal < result.primal) {
      result.primal = primal;
      best_ = w_;
    }
    const double gap = result.primal - result.dual;
    if (gap <= options.tol * std::abs(result.primal) || gap <= 1e-15 || result.rounds == options.rounds) break;
    ++result.rounds;
    result.planes += add_planes();
    order.clear();
    for (std::size_t s = 0; s < lists_.size(); ++s)
      if (!planes_[s].empty()) order.push_back(static_cast<std::uint32_t>(s));
    const std::uint64_t before = steps_;
    for (int pass = 0; pass < kPassesARound; ++pass) {
      Random random(options.seed, passes_++);
      shuffle(std::span(order), random);
      double left = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % 1024 == 0 && stop.load(std::memory_order_relaxed)) return result;
        left += visit(order[i]);
      }
      if (left <= kShareOfGap * gap) break;
    }
    if (!move_center() && steps_ == before) break;  // what is left is below what numbers of this size can show
  }
  result.steps = steps_;
  return result;
}

}  // namespace tunesmith
