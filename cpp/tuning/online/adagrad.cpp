#include "tuning/online/adagrad.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/finite.hpp"

namespace tunesmith {
namespace {
constexpr const char* not_finite = "the gradient is not finite, or too large to be squared";
}

AdaGrad::AdaGrad(const AdaGradOptions& options, AdaGradState state, WeightLimits limits, std::uint64_t steps,
                 std::uint64_t averaged)
    : options_(options), state_(std::move(state)), limits_(std::move(limits)), steps_(steps), averaged_(averaged) {
  const std::size_t size = state_.weights.size();
  if (!(options_.rate > 0) || !(options_.epsilon > 0) || !(options_.l1 >= 0) || !(options_.l2 >= 0))
    throw Error("rate and epsilon must be above 0, penalties at least 0");
  for (const auto* array : {&state_.squares, &state_.sums, &state_.since})
    if (array->size() != size) throw Error("the arrays of AdaGrad must have a number for each weight");
  for (auto* counts : {&state_.support, &state_.sentences}) {
    if (options_.min_sentences <= 1)
      counts->clear();
    else if (counts->empty())
      counts->resize(size);
    if (!counts->empty() && counts->size() != size)
      throw Error("the arrays of AdaGrad must have a number for each weight");
  }
  for (const auto* array : {&state_.weights, &state_.squares, &state_.sums, &state_.support, &state_.sentences})
    if (!all_finite<double>(*array)) throw Error("the arrays of AdaGrad must be finite numbers");
  for (const double since : state_.since)
    if (!(since >= 0 && since <= static_cast<double>(steps)))
      throw Error("a weight cannot be newer than the last step");
  if (averaged_ > steps_) throw Error("there cannot be an average of more steps than were made");
  check_limits(limits_);
  gradient_.resize(size);
  known_.resize(size);
  listed_.resize(size);
  met_.resize(size);
  for (std::size_t id = 0; id < size; ++id)
    if (state_.weights[id] != 0) {
      listed_[id] = true;
      moving_.push_back(static_cast<std::uint32_t>(id));
    }
}

void AdaGrad::check_size(std::size_t size) const {
  if (size != columns())
    throw Error(std::to_string(size) + " features for " + std::to_string(columns()) + " weights");
}

// Features may have become known since the lists were made.
void AdaGrad::check_columns(const CandidateLists& lists) const {
  if (lists.matrix.columns() > columns()) check_size(lists.matrix.columns());
}

void AdaGrad::resize(std::size_t columns) {
  if (columns < this->columns()) throw Error("weights cannot become fewer");
  for (auto* array : {&state_.weights, &state_.squares, &state_.sums, &gradient_, &known_}) array->resize(columns);
  state_.since.resize(columns, static_cast<double>(steps_));
  if (options_.min_sentences > 1)
    for (auto* array : {&state_.support, &state_.sentences}) array->resize(columns);
  listed_.resize(columns);
  met_.resize(columns);
}

void AdaGrad::check_limits(const WeightLimits& limits) const {
  for (const auto* array : {&limits.lower, &limits.upper, &limits.factors})
    if (!array->empty()) check_size(array->size());
  if (limits.lower.size() != limits.upper.size()) throw Error("there must be lower and upper bounds, or none");
  for (std::size_t id = 0; id < limits.lower.size(); ++id)
    if (!(limits.lower[id] <= limits.upper[id])) throw Error("a lower bound must not be above the upper one");
  for (const double factor : limits.factors)
    if (!(factor >= 0) || !std::isfinite(factor)) throw Error("a penalty factor must be at least 0");
}

void AdaGrad::set_limits(WeightLimits limits) {
  check_limits(limits);
  for (std::size_t id = 0; id < columns(); ++id) bring_up(id);  // what was put off had the limits before
  limits_ = std::move(limits);
}

void AdaGrad::begin_epoch() {
  std::fill(state_.sentences.begin(), state_.sentences.end(), 0.0);
}

void AdaGrad::begin_average() {
  for (std::size_t id = 0; id < columns(); ++id) bring_up(id);
  std::fill(state_.sums.begin(), state_.sums.end(), 0.0);
  averaged_ = 0;
}

bool AdaGrad::bounded(std::size_t id, double gradient) const {
  return std::isfinite(state_.squares[id] + gradient * gradient);
}

double AdaGrad::rate_of(std::size_t id) const {
  return options_.rate / (std::sqrt(state_.squares[id]) + options_.epsilon);
}

// The proximal point of the penalty for a step of this length, inside the bounds.
double AdaGrad::shrunk(std::size_t id, double weight, double rate) const {
  const double factor = limits_.factors.empty() ? 1.0 : limits_.factors[id];
  const double left = std::max(0.0, std::abs(weight) - rate * factor * options_.l1);
  double found = left == 0 ? 0.0 : std::copysign(left, weight) / (1.0 + rate * factor * options_.l2);
  if (!limits_.lower.empty()) found = std::clamp(found, limits_.lower[id], limits_.upper[id]);
  return found;
}

// Steps without a gradient: the magnitude falls by one and the same number a step, down to 0, so that the sum is
// that of an arithmetic series. With a quadratic penalty or bounds the steps are made one by one.
AdaGrad::Now AdaGrad::now(std::size_t id) const {
  double weight = state_.weights[id], sum = state_.sums[id];
  const auto idle = static_cast<double>(steps_) - state_.since[id];
  if (idle <= 0 || (weight == 0 && limits_.lower.empty())) return {weight, sum};
  const double rate = rate_of(id);
  if (options_.l2 > 0 || !limits_.lower.empty()) {
    for (double step = 0; step < idle; ++step) {
      weight = shrunk(id, weight, rate);
      sum += weight;
    }
    return {weight, sum};
  }
  const double by = rate * options_.l1 * (limits_.factors.empty() ? 1.0 : limits_.factors[id]);
  if (by == 0) return {weight, sum + idle * weight};
  const double size = std::abs(weight);
  const double alive = std::min(idle, std::floor(size / by));
  const double total = std::max(0.0, alive * (size - 0.5 * by * (alive + 1)));
  const double left = alive < idle ? 0.0 : std::max(0.0, size - idle * by);
  return {left == 0 ? 0.0 : std::copysign(left, weight), sum + std::copysign(total, weight)};
}

void AdaGrad::bring_up(std::size_t id) {
  const Now found = now(id);
  state_.weights[id] = found.weight;
  state_.sums[id] = found.sum;
  state_.since[id] = static_cast<double>(steps_);
}

void AdaGrad::move(std::size_t id, double gradient) {
  bring_up(id);
  double& weight = state_.weights[id];
  state_.squares[id] += gradient * gradient;
  const double rate = rate_of(id);
  weight = shrunk(id, weight - rate * gradient, rate);
  state_.sums[id] += weight;
  state_.since[id] = static_cast<double>(steps_ + 1);
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

// Fills ids_ with the columns of a batch, each once.
void AdaGrad::bring_up_columns(const CandidateLists& lists) {
  check_columns(lists);
  scored_ = false;
  ids_.clear();
  lists.matrix.columns_of(0, lists.matrix.rows(), ids_);
  std::size_t kept = 0;
  for (const std::uint32_t id : ids_)
    if (!met_[id]) {
      met_[id] = true;
      ids_[kept++] = id;
    }
  ids_.resize(kept);
  for (const std::uint32_t id : ids_) {
    met_[id] = false;
    bring_up(id);
  }
}

void AdaGrad::scores(const CandidateLists& lists, std::span<double> out) {
  bring_up_columns(lists);
  scored_ = true;
  lists.matrix.dots(0, lists.matrix.rows(), std::span(state_.weights).first(lists.matrix.columns()), out.data());
}

void AdaGrad::count(const CandidateLists& lists) {
  if (options_.min_sentences <= 1) return;
  check_columns(lists);
  scored_ = false;
  for (std::size_t s = 0; s < lists.sentences(); ++s) {
    ids_.clear();
    lists.matrix.columns_of(lists.begin(s), lists.end(s), ids_);
    for (const std::uint32_t id : ids_) {
      if (met_[id]) continue;
      met_[id] = true;
      state_.support[id] = std::max(state_.support[id], ++state_.sentences[id]);
    }
    for (const std::uint32_t id : ids_) met_[id] = false;
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
  for (const std::uint32_t id : ids_) finite = finite && bounded(id, gradient_[id]);
  for (const std::uint32_t id : ids_) {
    const double gradient = std::exchange(gradient_[id], 0.0);
    if (!finite || gradient == 0) continue;
    if (options_.min_sentences > 1 && state_.support[id] < options_.min_sentences) continue;
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
    if (gradient[id] != 0 && (options_.min_sentences <= 1 || state_.support[id] >= options_.min_sentences))
      move(id, gradient[id]);
  end_step();
}

std::vector<std::uint32_t> AdaGrad::changed() {
  std::vector<std::uint32_t> found;
  std::size_t kept = 0;
  for (const std::uint32_t id : moving_) {
    bring_up(id);
    if (state_.weights[id] != known_[id]) {
      found.push_back(id);
      known_[id] = state_.weights[id];
    }
    listed_[id] = state_.weights[id] != 0;
    if (listed_[id]) moving_[kept++] = id;
  }
  moving_.resize(kept);
  return found;
}

std::vector<double> AdaGrad::weights() const {
  std::vector<double> found(columns());
  for (std::size_t id = 0; id < found.size(); ++id) found[id] = now(id).weight;
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
    state_.weights[id] = weights[id];
    if (weights[id] != known_[id] && !listed_[id]) {
      listed_[id] = true;
      moving_.push_back(static_cast<std::uint32_t>(id));
    }
  }
}

}  // namespace tunesmith
