#include "metrics/bleu.hpp"

#include <algorithm>
#include <cmath>

namespace tunesmith {
namespace {

struct Row {
  double length, reference_length;
  const double* matches;
  const double* totals;
  Row(const double* row, int order)
      : length(row[0]), reference_length(row[1]), matches(row + 2), totals(row + 2 + order) {}
};

double brevity_penalty(double length, double reference_length) {
  if (length >= reference_length) return 1.0;
  return length > 0 ? std::exp(1.0 - reference_length / length) : 0.0;
}

}  // namespace

double bleu(const double* statistics, int order, const BleuOptions& options) {
  const Row row(statistics, order);
  if (std::all_of(row.matches, row.matches + order, [](double m) { return m <= 0; })) return 0.0;
  double log_precisions = 0, halves = 1;
  int orders = order;
  for (int n = 0; n < order; ++n) {
    double matches = row.matches[n], total = row.totals[n];
    if (options.smoothing == Smoothing::add_k && n > 0) {
      matches += options.value;
      total += options.value;
    }
    if (total <= 0) {
      // No n-gram of this order: undefined, hence 0, unless only the orders that exist count.
      if (!options.effective_order) return 0.0;
      orders = n;
      break;
    }
    if (matches <= 0 && options.smoothing == Smoothing::exp) {
      halves *= 2;
      matches = 1.0 / halves;
    } else if (matches <= 0 && options.smoothing == Smoothing::floor) {
      matches = options.value;
    }
    if (matches <= 0) return 0.0;
    log_precisions += std::log(matches / total);
  }
  return brevity_penalty(row.length, row.reference_length) * std::exp(log_precisions / orders);
}

double bleu_plus_one(const double* statistics, int order, const BleuPlusOneOptions& options) {
  const Row row(statistics, order);
  if (row.length <= 0) return 0.0;
  double log_precision = 0, log_ground = 0;
  for (int n = 0; n < order; ++n) {
    const double one = n > 0 || options.smooth_unigrams ? 1.0 : 0.0;
    const double matches = row.matches[n] + one, total = row.totals[n] + one;
    if (matches <= 0) return 0.0;
    log_precision += std::log(matches / total);
    log_ground += one > 0 ? std::log(one / total) : -INFINITY;
  }
  const double precision = std::exp(log_precision / order);
  const double ground = options.grounded ? std::exp(log_ground / order) : 0.0;
  return brevity_penalty(row.length, row.reference_length + (options.smooth_brevity ? 1.0 : 0.0)) *
         (precision - ground);
}

double bleu_interpolated(const double* statistics, int order) {
  const Row row(statistics, order);
  double sum = 0, log_precisions = 0;
  for (int n = 0; n < order; ++n) {
    if (row.matches[n] <= 0) break;
    log_precisions += std::log(row.matches[n] / row.totals[n]);
    sum += std::exp(log_precisions / (n + 1)) / std::exp2(order - n);
  }
  return sum * brevity_penalty(row.length, row.reference_length);
}

}  // namespace tunesmith
