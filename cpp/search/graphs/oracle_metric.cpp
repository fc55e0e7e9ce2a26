#include "search/graphs/oracle_metric.hpp"

#include <algorithm>
#include <cmath>

namespace tunesmith {

void OracleMetric::fill_row(std::size_t length, const double* matches, double* row) const {
  row[0] = static_cast<double>(length);
  row[1] = reference_length(lengths_, length, options_.length);
  for (std::size_t n = 0; n < order_; ++n) {
    row[2 + n] = matches[n];
    row[2 + order_ + n] = length > n ? static_cast<double>(length - n) : 0.0;
  }
}

double OracleMetric::operator()(const double* row) const {
  if (options_.background.empty()) return bleu_plus_one(row, options_.order, options_.smoothing);
  double together[max_oracle_width];
  for (std::size_t i = 0; i < 2 + 2 * order_; ++i) together[i] = row[i] + options_.background[i];
  const double score = bleu(together, options_.order, {Smoothing::none, 0, false});
  return options_.scale_by_reference ? score * together[1] : score;
}

std::vector<double> OracleMetric::good_row() const {
  constexpr double precision = 0.8, ratio = 0.75;
  double length = 0;
  for (const std::uint32_t one : lengths_) length += one;
  length = std::max(1.0, length / static_cast<double>(lengths_.size()));
  std::vector<double> row(2 + 2 * order_);
  row[0] = row[1] = length;
  for (std::size_t n = 0; n < order_; ++n) {
    row[2 + order_ + n] = std::max(1.0, length - static_cast<double>(n));
    row[2 + n] = row[2 + order_ + n] * precision * std::pow(ratio, n);
  }
  return row;
}

std::vector<double> OracleMetric::near_row(std::span<const double> real) const {
  std::vector<double> row(real.begin(), real.end());
  row[0] = std::max(1.0, row[0]);
  row[1] = std::max(1.0, row[1]);
  for (std::size_t n = 0; n < order_; ++n) {
    row[2 + order_ + n] = std::max(1.0, row[2 + order_ + n]);
    row[2 + n] = std::max(0.5, row[2 + n]);
  }
  return row;
}

LinearMetric::LinearMetric(const OracleMetric& metric, std::span<const double> point) : order_(metric.order()) {
  // The metric at the point, with a hypothesis longer by `longer` and `more` matches of order `matched` (0: of
  // none).
  const auto value = [&](double longer, std::size_t matched, double more) {
    double row[max_oracle_width];
    row[0] = point[0] + longer;
    row[1] = point[1];
    for (std::size_t n = 0; n < order_; ++n) {
      row[2 + n] = point[2 + n] + (n + 1 == matched ? more : 0.0);
      row[2 + order_ + n] = point[2 + order_ + n] + longer;
    }
    return metric(row);
  };
  constexpr double step = 1e-3;
  per_word_ = (value(step, 0, 0) - value(-step, 0, 0)) / (2 * step);
  for (std::size_t n = 0; n < order_; ++n)
    per_match_[n] = (value(0, n + 1, step) - value(0, n + 1, -step)) / (2 * step);
}

}  // namespace tunesmith
