// What a learner is made of, and gives back: states, limits, their sizes.
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "tuning/online/adagrad.hpp"

namespace tunesmith {

AdaGrad::AdaGrad(const AdaGradOptions& options, const AdaGradView& state, WeightLimits limits, std::uint64_t steps,
                 std::uint64_t averaged)
    : options_(options),
      limits_(std::move(limits)),
      steps_(steps),
      averaged_(averaged),
      weights_(state.weights.begin(), state.weights.end()),
      support_(state.support.begin(), state.support.end()),
      sentences_(state.sentences.begin(), state.sentences.end()) {
  const std::size_t size = columns();
  if (!(options_.rate > 0) || !(options_.epsilon > 0) || !(options_.l1 >= 0) || !(options_.l2 >= 0))
    throw Error("rate and epsilon must be above 0, penalties at least 0");
  for (auto* counts : {&support_, &sentences_}) {
    if (options_.min_sentences <= 1)
      counts->clear();
    else if (counts->empty())
      counts->resize(size);
    else if (counts->size() != size)
      throw Error("the arrays of AdaGrad must have a number for each weight");
  }
  for (const auto* array : {&state.squares, &state.sums, &state.since})
    if (array->size() != size) throw Error("the arrays of AdaGrad must have a number for each weight");
  for (const auto& array : {state.weights, state.squares, state.sums, state.support, state.sentences})
    if (!all_finite(array)) throw Error("the arrays of AdaGrad must be finite numbers");
  for (const double since : state.since)
    if (!(since >= 0 && since <= static_cast<double>(steps)))
      throw Error("a weight cannot be newer than the last step");
  if (averaged_ > steps_) throw Error("there cannot be an average of more steps than were made");
  check_limits(limits_);
  gradient_.resize(size);
  known_.resize(size);
  listed_.resize(size);
  met_.grow(size);
  tracks_.reserve(size);
  for (std::size_t id = 0; id < size; ++id)
    tracks_.push_back({state.squares[id], rate_of(state.squares[id]), state.sums[id], state.since[id]});
  for (std::size_t id = 0; id < size; ++id)
    if (weights_[id] != 0) {
      known_[id] = std::numeric_limits<double>::quiet_NaN();  // so that it is a change if it dies at once, too
      listed_[id] = true;
      moving_.push_back(static_cast<std::uint32_t>(id));
    }
}

void AdaGrad::check_size(std::size_t size) const {
  if (size != columns())
    throw Error(std::to_string(size) + " features for " + std::to_string(columns()) + " weights");
}

void AdaGrad::resize(std::size_t columns) {
  if (columns < this->columns()) throw Error("weights cannot become fewer");
  for (auto* array : {&weights_, &gradient_, &known_}) array->resize(columns);
  tracks_.resize(columns, {0.0, rate_of(0.0), 0.0, static_cast<double>(steps_)});
  if (options_.min_sentences > 1)
    for (auto* array : {&support_, &sentences_}) array->resize(columns);
  listed_.resize(columns);
  met_.grow(columns);
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

AdaGradState AdaGrad::state() const {
  AdaGradState found{{weights_.begin(), weights_.end()}, {}, {}, {}, support_, sentences_};
  for (auto* array : {&found.squares, &found.sums, &found.since}) array->reserve(columns());
  for (const Track& track : tracks_) {
    found.squares.push_back(track.squares);
    found.sums.push_back(track.sum);
    found.since.push_back(track.since);
  }
  return found;
}

}  // namespace tunesmith
