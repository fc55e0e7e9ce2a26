// The metric an oracle is searched by: of whole sentences, and a linear approximation for parts of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/oracle.hpp"

namespace tunesmith {

// Longest n-grams and longest rows of statistics.
inline constexpr int max_oracle_order = 9;
inline constexpr std::size_t max_oracle_width = 2 + 2 * max_oracle_order;

// Keeps references to its arguments.
class OracleMetric {
 public:
  OracleMetric(const OracleOptions& options, std::span<const std::uint32_t> reference_lengths)
      : options_(options), lengths_(reference_lengths), order_(static_cast<std::size_t>(options.order)) {}

  std::size_t order() const { return order_; }

  // A row of statistics (ngram_statistics.hpp) from the length of a hypothesis and its matches.
  void fill_row(std::size_t length, const double* matches, double* row) const;
  // The score of a row, together with the background if there is one.
  double operator()(const double* row) const;

  // A row of the references' mean length with precisions p·r^(n-1), as Tromble et al. 2008 have it: what a good
  // translation would get.
  std::vector<double> good_row() const;
  // A row near a real one where the metric has a slope: no count is 0.
  std::vector<double> near_row(std::span<const double> real) const;

 private:
  const OracleOptions& options_;
  const std::span<const std::uint32_t> lengths_;
  const std::size_t order_;
};

// The gradient of the metric, in length and matches, at a row of statistics (Tromble et al. 2008).
class LinearMetric {
 public:
  LinearMetric(const OracleMetric& metric, std::span<const double> point);

  double operator()(std::size_t length, const double* matches) const {
    double sum = per_word_ * static_cast<double>(length);
    for (std::size_t n = 0; n < order_; ++n) sum += per_match_[n] * matches[n];
    return sum;
  }

 private:
  std::size_t order_;
  double per_word_;
  double per_match_[max_oracle_order];
};

}  // namespace tunesmith
