#include "tuning/online/online_oscar.hpp"

#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/finite.hpp"

namespace tunesmith {
namespace {

// Steps after which the clock is set back to 0: late steps are of the order 1e-7 and would lose digits against ln
// t.
constexpr std::uint64_t steps_a_rebase = 4096;

}  // namespace

void check_online(const OnlineOptions& options, std::span<const double> start_penalised,
                  std::span<const double> start_dense) {
  const auto& [l1, l2, dimension] = options.strength;
  if (!(l1 >= 0) || !(l2 >= 0) || !std::isfinite(l1 + l2 * static_cast<double>(dimension)))
    throw Error("the strengths l1 and l2 must be numbers of at least 0");
  if (!(options.rate > 0) || !std::isfinite(options.rate)) throw Error("the rate must be a number above 0");
  if (!(options.delay >= 0) || !std::isfinite(options.delay))
    throw Error("the delay must be a number of steps of at least 0");
  if (start_penalised.size() >= (1ULL << 31) - 1) throw Error("there are too many weights");
  if (dimension < start_penalised.size())
    throw Error("a dimension of " + std::to_string(dimension) + " is too small for " +
                std::to_string(start_penalised.size()) + " penalised features");
  if (!all_finite(start_penalised) || !all_finite(start_dense))
    throw Error("start weights must be finite numbers");
}

void check_pairs(const Differences& differences, std::span<const std::uint32_t> order, std::size_t penalised,
                 std::size_t dense) {
  if (penalised < differences.penalised || dense != differences.dense_columns)
    throw Error(std::to_string(penalised) + " + " + std::to_string(dense) + " weights for " +
                std::to_string(differences.penalised) + " + " + std::to_string(differences.dense_columns) +
                " features");
  for (const std::uint32_t pair : order)
    if (pair >= differences.size()) throw Error("there is no pair " + std::to_string(pair));
}

OnlineOscar::OnlineOscar(const OnlineOptions& options, std::span<const double> start_penalised,
                         std::span<const double> start_dense, std::size_t capacity)
    : options_(options),
      groups_(options.strength, capacity),
      members_((check_online(options, start_penalised, start_dense), start_penalised.size()), groups_),
      dense_(start_dense.begin(), start_dense.end()),
      dense_sums_(start_dense.size()) {
  for (std::size_t i = 0; i < start_penalised.size(); ++i)
    if (start_penalised[i] != 0)
      changes_.push_back({std::abs(start_penalised[i]), static_cast<std::uint32_t>(i), start_penalised[i] < 0});
  members_.change(changes_);
}

double OnlineOscar::margin(const Differences& differences, std::size_t pair) {
  double sum = 0;
  const std::span<const double> row = differences.dense_row(pair);
  for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * dense_[i];
  const std::size_t begin = differences.begin(pair), count = differences.end(pair) - begin;
  values_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    values_[i] = members_.value(differences.ids[begin + i]);
    sum += static_cast<double>(differences.values[begin + i]) * values_[i];
  }
  return sum;
}

void OnlineOscar::add_dense(std::span<const double> row, double scale) {
  if (!options_.learn_dense) return;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double change = scale * row[i];
    dense_sums_[i] -= change * sampled_;
    dense_[i] += change;
  }
}

// `values_` are those of the pair.
void OnlineOscar::add(const Differences& differences, std::size_t pair, double scale) {
  add_dense(differences.dense_row(pair), scale);
  const std::size_t begin = differences.begin(pair);
  changes_.clear();
  bool finite = true;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double value = values_[i] + scale * static_cast<double>(differences.values[begin + i]);
    finite = finite && std::isfinite(value);
    changes_.push_back({std::abs(value), differences.ids[begin + i], value < 0});
  }
  if (!finite || !all_finite(std::span<const double>(dense_)))
    throw Error("weights grew beyond all numbers: choose a smaller rate, or scale the features down");
  members_.change(changes_);
}

// Pairs come in random order: their entries, and the weights those name, are fetched before they are needed.
void OnlineOscar::look_ahead(const Differences& differences, std::span<const std::uint32_t> order,
                             std::size_t now) const {
  if (now + 16 < order.size()) __builtin_prefetch(differences.offsets.data() + order[now + 16]);
  if (now + 8 < order.size()) {
    const std::size_t begin = differences.begin(order[now + 8]);
    __builtin_prefetch(differences.ids.data() + begin);
    __builtin_prefetch(differences.values.data() + begin);
    __builtin_prefetch(differences.dense.data() + order[now + 8] * differences.dense_columns);
  }
  if (now + 2 < order.size())
    for (std::size_t at = differences.begin(order[now + 2]); at < differences.end(order[now + 2]); ++at)
      members_.prefetch(differences.ids[at]);
}

void OnlineOscar::run(const Differences& differences, std::span<const std::uint32_t> order,
                      const std::atomic<bool>& stop) {
  check_pairs(differences, order, members_.size(), dense_.size());
  members_.forget_dead();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (counts_.steps % steps_a_rebase == 0) {
      if (stop) return;
      groups_.rebase();
    }
    look_ahead(differences, order, i);
    const double time = options_.delay + static_cast<double>(++counts_.steps);
    const bool violated = 1 - margin(differences, order[i]) > 0;
    if (violated) {
      ++counts_.violated;
      add(differences, order[i], options_.rate / time);
    }
    ended_.clear();
    groups_.advance(options_.rate / (time + 1), ended_);
    members_.carry_out(ended_);
    if (averaging_) {
      groups_.sample();
      sampled_ += 1;
    }
    counts_.skipped += !violated && ended_.empty() ? 1 : 0;
    counts_.groups += static_cast<double>(groups_.size());
  }
}

void OnlineOscar::begin_average() {
  if (averaging_) throw Error("the average has begun already");
  averaging_ = true;
}

std::vector<double> OnlineOscar::penalised() {
  std::vector<double> weights(members_.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = members_.value(i);
  return weights;
}

std::vector<double> OnlineOscar::average_penalised() {
  if (sampled_ == 0) throw Error("no step has been averaged");
  std::vector<double> weights(members_.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = members_.sum(i) / sampled_;
  return weights;
}

std::vector<double> OnlineOscar::average_dense() {
  if (sampled_ == 0) throw Error("no step has been averaged");
  std::vector<double> weights(dense_.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = dense_[i] + dense_sums_[i] / sampled_;
  return weights;
}

std::vector<std::int64_t> OnlineOscar::group_numbers() {
  std::vector<std::int64_t> number_of;
  std::int64_t next = 0;
  for (const MovingGroups::Id id : groups_.in_order()) {
    if (id >= number_of.size()) number_of.resize(id + 1);
    number_of[id] = next++;
  }
  std::vector<std::int64_t> numbers(members_.size(), -1);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (const MovingGroups::Id id = members_.group(i); id != MovingGroups::none) numbers[i] = number_of[id];
  return numbers;
}

}  // namespace tunesmith
