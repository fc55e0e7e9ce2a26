#include "tuning/online/cumulative_l1.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/finite.hpp"

namespace tunesmith {

CumulativeL1::CumulativeL1(const OnlineOptions& options, std::span<const double> start_penalised,
                           std::span<const double> start_dense)
    : options_(options),
      dense_(start_dense.begin(), start_dense.end()),
      dense_sums_(start_dense.size()),
      totals_{0.0},
      total_sums_{0.0} {
  check_online(options, start_penalised, start_dense);
  if (options.strength.l2 != 0) throw Error("the cumulative penalty is that of L1: l2 must be 0");
  weights_.resize(start_penalised.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].value = start_penalised[i];
}

void CumulativeL1::resume(double total, std::span<const double> received) {
  if (counts_.steps > 0) throw Error("steps were made already");
  if (received.size() != weights_.size()) throw Error("there must be one number for each penalised weight");
  if (!all_finite(received) || !(total >= 0) || !std::isfinite(total))
    throw Error("penalties must be finite numbers");
  totals_.assign(1, total);
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].received = received[i];
}

std::vector<double> CumulativeL1::received() const {
  std::vector<double> values(weights_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = weights_[i].received;
  return values;
}

double CumulativeL1::left(const Weight& weight, double total) {
  if (weight.value > 0) return std::max(0.0, weight.value - (total + weight.received));
  if (weight.value < 0) return std::min(0.0, weight.value + (total - weight.received));
  return 0;
}

// Adds to the sum what the weight was after the steps since its last gradient, up to the one before `step`. Its
// size is limit - u while that is above 0, and u rises: it lives until u reaches the limit.
void CumulativeL1::sum_up(std::size_t id, std::size_t step) {
  const Weight& weight = weights_[id];
  if (!averaging_ || weight.value == 0) return;
  const double limit = weight.value > 0 ? weight.value - weight.received : weight.received - weight.value;
  const std::size_t first = std::max<std::size_t>(weight.since, 1);
  const double* totals = totals_.data();
  const auto end = static_cast<std::size_t>(std::lower_bound(totals + first, totals + step, limit) - totals);
  const double size = limit * static_cast<double>(end - first) - (total_sums_[end - 1] - total_sums_[first - 1]);
  sums_[id] += std::copysign(size, weight.value);
}

void CumulativeL1::add(const Differences& differences, std::size_t pair, double scale, std::size_t step) {
  const std::span<const double> row = differences.dense_row(pair);
  bool finite = true;
  if (options_.learn_dense)
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double change = scale * row[i];
      dense_sums_[i] -= change * sampled_;
      dense_[i] += change;
      finite = finite && std::isfinite(dense_[i]);
    }
  for (std::size_t at = differences.begin(pair); at < differences.end(pair); ++at) {
    const std::uint32_t id = differences.ids[at];
    sum_up(id, step);
    Weight& weight = weights_[id];
    const double now = left(weight, totals_[step - 1]);
    weight.received += now - weight.value;
    weight.value = now + scale * static_cast<double>(differences.values[at]);
    weight.since = static_cast<std::uint32_t>(step);
    finite = finite && std::isfinite(weight.value);
  }
  if (!finite) throw Error("weights grew beyond all numbers: choose a smaller rate, or scale the features down");
}

void CumulativeL1::run(const Differences& differences, std::span<const std::uint32_t> order,
                       const std::atomic<bool>& stop) {
  check_pairs(differences, order, weights_.size(), dense_.size());
  if (order.size() >= (1ULL << 32) - 1) throw Error("there are too many pairs for one call");
  totals_.reserve(order.size() + 1);
  total_sums_.reserve(order.size() + 1);
  std::size_t step = 0;
  for (const std::uint32_t pair : order) {
    if (counts_.steps % 4096 == 0 && stop) break;
    ++step;
    const double time = options_.delay + static_cast<double>(++counts_.steps);
    const double total = totals_[step - 1];
    double margin = 0;
    const std::span<const double> row = differences.dense_row(pair);
    for (std::size_t i = 0; i < row.size(); ++i) margin += row[i] * dense_[i];
    for (std::size_t at = differences.begin(pair); at < differences.end(pair); ++at)
      margin += static_cast<double>(differences.values[at]) * left(weights_[differences.ids[at]], total);
    if (1 - margin > 0) {
      ++counts_.violated;
      add(differences, pair, options_.rate / time, step);
    } else {
      ++counts_.skipped;
    }
    totals_.push_back(total + options_.strength.l1 * options_.rate / time);
    total_sums_.push_back(total_sums_.back() + totals_.back());
    if (averaging_) sampled_ += 1;
  }
  // All weights up to date, so that the next call begins with step 0.
  const double total = totals_.back();
  for (std::size_t id = 0; id < weights_.size(); ++id) {
    sum_up(id, step + 1);
    Weight& weight = weights_[id];
    const double now = left(weight, total);
    weight.received += now - weight.value;
    weight.value = now;
    weight.since = 0;
  }
  totals_.assign(1, total);
  total_sums_.assign(1, 0.0);
}

void CumulativeL1::begin_average() {
  if (averaging_) throw Error("the average has begun already");
  averaging_ = true;
  sums_.assign(weights_.size(), 0.0);
}

std::vector<double> CumulativeL1::penalised() const {
  std::vector<double> values(weights_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = weights_[i].value;
  return values;
}

std::vector<double> CumulativeL1::average_penalised() const {
  if (sampled_ == 0) throw Error("no step has been averaged");
  std::vector<double> values(weights_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = sums_[i] / sampled_;
  return values;
}

std::vector<double> CumulativeL1::average_dense() const {
  if (sampled_ == 0) throw Error("no step has been averaged");
  std::vector<double> values(dense_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = dense_[i] + dense_sums_[i] / sampled_;
  return values;
}

}  // namespace tunesmith
