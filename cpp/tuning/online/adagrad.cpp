#include "tuning/online/adagrad.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/memory/prefetch.hpp"

namespace tunesmith {
namespace {
constexpr const char* not_finite = "the gradient is not finite, or too large to be squared";
}

// Features may have become known since the lists were made.
void AdaGrad::check_columns(const CandidateLists& lists) const {
  if (lists.matrix.columns() > columns()) check_size(lists.matrix.columns());
}

void AdaGrad::begin_epoch() {
  std::fill(sentences_.begin(), sentences_.end(), 0.0);
}

void AdaGrad::begin_average() {
  for (std::size_t id = 0; id < columns(); ++id) {
    bring_up(id);
    tracks_[id].sum = 0;
  }
  averaged_ = 0;
}

bool AdaGrad::bounded(std::size_t id, double gradient) const {
  return std::isfinite(tracks_[id].squares + gradient * gradient);
}

double AdaGrad::rate_of(double squares) const {
  return options_.rate / (std::sqrt(squares) + options_.epsilon);
}

// The proximal point of the penalty for a step of this length, inside the bounds.
double AdaGrad::shrunk(std::size_t id, double weight, double rate) const {
  if (!limits_.factors.empty()) rate *= limits_.factors[id];
  const double left = std::max(0.0, std::abs(weight) - rate * options_.l1);
  double found = left == 0 ? 0.0 : std::copysign(left, weight);
  if (options_.l2 > 0) found /= 1.0 + rate * options_.l2;
  if (!limits_.lower.empty()) found = std::clamp(found, limits_.lower[id], limits_.upper[id]);
  return found;
}

// Steps without a gradient: the magnitude falls by one and the same number a step, down to 0, so that the sum is
// that of an arithmetic series. With a quadratic penalty or bounds the steps are made one by one.
AdaGrad::Now AdaGrad::now(std::size_t id) const {
  const Track& track = tracks_[id];
  double weight = weights_[id], sum = track.sum;
  const double idle = static_cast<double>(steps_) - track.since;
  if (idle <= 0 || (weight == 0 && limits_.lower.empty())) return {weight, sum};
  if (one_by_one()) {
    for (double step = 0; step < idle; ++step) {
      weight = shrunk(id, weight, track.rate);
      sum += weight;
    }
    return {weight, sum};
  }
  const double by = shrinkage(id);
  if (by == 0) return {weight, sum + idle * weight};
  const double size = std::abs(weight);
  const double alive = std::min(idle, std::floor(size / by));
  const double total = std::max(0.0, alive * (size - 0.5 * by * (alive + 1)));
  return {this->weight(id), sum + std::copysign(total, weight)};
}

double AdaGrad::shrinkage(std::size_t id) const {
  return tracks_[id].rate * options_.l1 * (limits_.factors.empty() ? 1.0 : limits_.factors[id]);
}

double AdaGrad::weight(std::size_t id) const {
  const double weight = weights_[id], idle = static_cast<double>(steps_) - tracks_[id].since;
  if (idle <= 0) return weight;
  if (one_by_one()) return now(id).weight;
  const double left = std::abs(weight) - idle * shrinkage(id);
  return left > 0 ? std::copysign(left, weight) : 0.0;
}

void AdaGrad::ask(std::size_t id) const {
  __builtin_prefetch(&tracks_[id]);
  __builtin_prefetch(&weights_[id]);
  __builtin_prefetch(&listed_[id]);
}

void AdaGrad::bring_up(std::size_t id) {
  Track& track = tracks_[id];
  const auto steps = static_cast<double>(steps_);
  if (track.since == steps) return;
  const Now found = now(id);
  weights_[id] = found.weight;
  track.sum = found.sum;
  track.since = steps;
}

void AdaGrad::move(std::size_t id, double gradient) {
  Track& track = tracks_[id];
  track.squares += gradient * gradient;
  track.rate = rate_of(track.squares);
  const double weight = shrunk(id, weights_[id] - track.rate * gradient, track.rate);
  weights_[id] = weight;
  track.sum += weight;
  track.since = static_cast<double>(steps_ + 1);
  if (!listed_[id]) {
    listed_[id] = true;
    moving_.push_back(static_cast<std::uint32_t>(id));
  }
}

void AdaGrad::end_step() {
  scored_ = false;
  ++steps_;
  ++averaged_;
}

// Fills met_ with the columns of a batch, and brings their weights up to date.
void AdaGrad::bring_up_columns(const CandidateLists& lists) {
  check_columns(lists);
  scored_ = false;
  met_.clear();
  lists.matrix.add_columns(0, lists.matrix.rows(), met_);
  for_each_ahead(met_.ids(), [&](std::uint32_t id) { ask(id); }, [&](std::uint32_t id) { bring_up(id); });
}

void AdaGrad::scores(const CandidateLists& lists, std::span<double> out) {
  bring_up_columns(lists);
  scored_ = true;
  lists.matrix.dots(0, lists.matrix.rows(), std::span(weights_).first(lists.matrix.columns()), out.data());
}

void AdaGrad::count(const CandidateLists& lists) {
  if (options_.min_sentences <= 1) return;
  check_columns(lists);
  scored_ = false;
  for (std::size_t s = 0; s < lists.sentences(); ++s) {
    met_.clear();
    lists.matrix.add_columns(lists.begin(s), lists.end(s), met_);
    for (const std::uint32_t id : met_.ids()) support_[id] = std::max(support_[id], ++sentences_[id]);
  }
}

void AdaGrad::step(const CandidateLists& lists, std::span<const double> slopes) {
  if (slopes.size() != lists.matrix.rows()) throw Error("there must be one slope for each candidate");
  bring_up_columns(lists);
  step_on_columns(lists, slopes);
}

void AdaGrad::step_on_scored(const CandidateLists& lists, std::span<const double> slopes) {
  if (slopes.size() != lists.matrix.rows()) throw Error("there must be one slope for each candidate");
  if (!scored_) throw Error("scores of the lists come first");
  step_on_columns(lists, slopes);
}

void AdaGrad::step_on_columns(const CandidateLists& lists, std::span<const double> slopes) {
  lists.matrix.combine(0, slopes, std::span(gradient_).first(lists.matrix.columns()));
  bool finite = true;
  for_each_ahead(
      met_.ids(), [&](std::uint32_t id) { ask(id); },
      [&](std::uint32_t id) { finite &= bounded(id, gradient_[id]); });
  for (const std::uint32_t id : met_.ids()) {
    const double gradient = std::exchange(gradient_[id], 0.0);
    if (!finite || gradient == 0) continue;
    if (options_.min_sentences > 1 && support_[id] < options_.min_sentences) continue;
    move(id, gradient);
  }
  if (!finite) throw Error(not_finite);
  end_step();
}

void AdaGrad::step(std::span<const double> gradient) {
  check_size(gradient.size());
  for (std::size_t id = 0; id < gradient.size(); ++id)
    if (!bounded(id, gradient[id])) throw Error(not_finite);
  for (std::size_t id = 0; id < gradient.size(); ++id)
    if (gradient[id] != 0 && (options_.min_sentences <= 1 || support_[id] >= options_.min_sentences)) {
      bring_up(id);
      move(id, gradient[id]);
    }
  end_step();
}

AdaGrad::Changes AdaGrad::changed() {
  Changes found;
  found.ids.reserve(moving_.size());
  found.values.reserve(moving_.size());
  std::size_t kept = 0;
  for (const std::uint32_t id : moving_) {
    if (one_by_one()) bring_up(id);  // else weights stay put off: looking at one is a product and a difference
    const double weight = this->weight(id);
    if (weight != known_[id]) {
      found.ids.push_back(id);
      found.values.push_back(weight);
      known_[id] = weight;
    }
    if (weight == 0) listed_[id] = false;
    moving_[kept] = id;
    kept += static_cast<std::size_t>(weight != 0);
  }
  moving_.resize(kept);
  return found;
}

std::vector<double> AdaGrad::weights() const {
  std::vector<double> found(columns());
  for (std::size_t id = 0; id < found.size(); ++id) found[id] = weight(id);
  return found;
}

std::vector<double> AdaGrad::average() const {
  if (averaged_ == 0) return weights();
  std::vector<double> found(columns());
  for (std::size_t id = 0; id < found.size(); ++id) found[id] = now(id).sum / static_cast<double>(averaged_);
  return found;
}

void AdaGrad::set_weights(std::span<const double> weights) {
  check_size(weights.size());
  if (!all_finite(weights)) throw Error("weights must be finite numbers");
  for (std::size_t id = 0; id < weights.size(); ++id) {
    bring_up(id);
    weights_[id] = weights[id];
    if (weights[id] != known_[id] && !listed_[id]) {
      listed_[id] = true;
      moving_.push_back(static_cast<std::uint32_t>(id));
    }
  }
}

}  // namespace tunesmith
