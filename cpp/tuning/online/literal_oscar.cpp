#include "tuning/online/literal_oscar.hpp"

#include <algorithm>
#include <cmath>

namespace tunesmith {

LiteralOscar::LiteralOscar(const OnlineOptions& options, std::span<const double> start_penalised,
                           std::span<const double> start_dense)
    : options_(options),
      weights_(start_penalised.begin(), start_penalised.end()),
      dense_(start_dense.begin(), start_dense.end()) {
  check_online(options, start_penalised, start_dense);
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (weights_[i] != 0) active_.push_back(static_cast<std::uint32_t>(i));
}

void LiteralOscar::add(const Differences& differences, std::size_t pair, double scale) {
  const std::span<const double> row = differences.dense_row(pair);
  if (options_.learn_dense)
    for (std::size_t i = 0; i < row.size(); ++i) dense_[i] += scale * row[i];
  for (std::size_t at = differences.begin(pair); at < differences.end(pair); ++at) {
    const std::uint32_t id = differences.ids[at];
    if (weights_[id] == 0) active_.push_back(id);
    weights_[id] += scale * static_cast<double>(differences.values[at]);
  }
}

// Algorithm 3: sort, pool, clip, sign; and D(W), here only its size.
void LiteralOscar::prox(double step) {
  const auto& [l1, l2, dimension] = options_.strength;
  std::sort(active_.begin(), active_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = std::abs(weights_[a]), y = std::abs(weights_[b]);
    return x != y ? x > y : a < b;
  });
  pools_.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const double penalty = l1 + l2 * (static_cast<double>(dimension) - static_cast<double>(i + 1));
    Pool pool{std::abs(weights_[active_[i]]) - step * penalty, i, i + 1};
    while (!pools_.empty() && pool.mean() >= pools_.back().mean()) {
      pool = {pools_.back().sum + pool.sum, pools_.back().begin, pool.end};
      pools_.pop_back();
    }
    pools_.push_back(pool);
  }
  std::size_t groups = 0;
  for (const Pool& pool : pools_) {
    const double value = std::max(pool.mean(), 0.0);
    groups += value > 0 ? 1 : 0;
    for (std::size_t i = pool.begin; i < pool.end; ++i)
      weights_[active_[i]] = std::copysign(value, weights_[active_[i]]);
  }
  std::erase_if(active_, [&](std::uint32_t id) { return weights_[id] == 0; });
  counts_.groups += static_cast<double>(groups);
}

void LiteralOscar::run(const Differences& differences, std::span<const std::uint32_t> order,
                       const std::atomic<bool>& stop) {
  check_pairs(differences, order, weights_.size(), dense_.size());
  for (const std::uint32_t pair : order) {
    if (stop) return;
    const double time = options_.delay + static_cast<double>(++counts_.steps);
    double margin = 0;
    const std::span<const double> row = differences.dense_row(pair);
    for (std::size_t i = 0; i < row.size(); ++i) margin += row[i] * dense_[i];
    for (std::size_t at = differences.begin(pair); at < differences.end(pair); ++at)
      margin += static_cast<double>(differences.values[at]) * weights_[differences.ids[at]];
    if (1 - margin > 0) {
      ++counts_.violated;
      add(differences, pair, options_.rate / time);
    }
    prox(options_.rate / (time + 1));
  }
}

}  // namespace tunesmith
