// The loss of a margin and its slope.
#pragma once

#include <cmath>

namespace tunesmith {

// Loss of the margin m = w · (H(better) - H(worse)): log(1 + e^-m); or max(0, 1 - m) with its corner rounded by a
// parabola over `smoothing` (0: the corner itself, where the gradient is a subgradient).
enum class PairLossKind { logistic, hinge };

struct MarginLoss {
  double value, slope;  // slope: by the margin
};

inline MarginLoss logistic_loss(double margin) {
  // Does not overflow on either side.
  const double e = std::exp(-std::abs(margin));
  const double value = margin >= 0 ? std::log1p(e) : std::log1p(e) - margin;
  return {value, margin >= 0 ? -e / (1 + e) : -1 / (1 + e)};
}

inline MarginLoss hinge_loss(double margin, double smoothing) {
  const double short_by = 1 - margin;
  if (short_by <= 0) return {0, 0};
  if (short_by >= smoothing) return {short_by - smoothing / 2, -1};
  return {short_by * short_by / (2 * smoothing), -short_by / smoothing};
}

inline MarginLoss margin_loss(PairLossKind kind, double margin, double smoothing) {
  return kind == PairLossKind::logistic ? logistic_loss(margin) : hinge_loss(margin, smoothing);
}

}  // namespace tunesmith
