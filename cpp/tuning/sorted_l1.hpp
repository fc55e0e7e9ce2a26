// Proximity operators of the sorted L1 norm and of OSCAR, with the groups of equal weights they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunesmith {

// Weights that a proximity operator made equal, sign included: +v and -v are two groups. They come from the pooling
// itself, the largest magnitude first; a weight of 0 is in no group (-1).
struct EqualGroups {
  std::vector<std::int32_t> of;     // for each weight the number of its group
  std::vector<double> weights;      // of the groups
  std::vector<std::int64_t> sizes;  // number of weights in them
};

// l1 · Σ|w_i| + l2 · Σ_{i<j} max(|w_i|, |w_j|) over `dimension` weights (Bondell and Reich 2008), which is a sorted
// L1 norm: the weight of rank i (from 0) is the larger one of dimension - 1 - i pairs.
struct OscarPenalty {
  std::size_t dimension;
  double l1, l2;
  double operator()(std::size_t rank) const { return l1 + l2 * static_cast<double>(dimension - 1 - rank); }
};

// Writes to `out` the point x that minimises ½‖x - w‖² + step · Σ_i penalties[i] · |x|_(i), with |x|_(1) ≥ |x|_(2)
// ≥ …: sort, pool adjacent violators, clip at 0, signs back (Bogdan et al. 2015, Algorithm 4; Liu et al. 2013,
// Algorithm 3). penalties do not increase and are not negative, at least one for each weight; step ≥ 0. Cost: that
// of the sort of the u weights that can survive (MagnitudeOrder), then O(u). `w` and `out` may be the same array;
// `groups` may be null. Throws Error for arrays or penalties that do not fit.
void prox_sorted_l1(std::span<const double> w, std::span<const double> penalties, double step,
                    std::span<double> out, EqualGroups* groups = nullptr);

// The same for OSCAR. dimension ≥ number of weights: weights that are not given are 0, and cost nothing.
void prox_oscar(std::span<const double> w, const OscarPenalty& penalty, double step, std::span<double> out,
                EqualGroups* groups = nullptr);

// OSCAR at `w`, over `dimension` weights of which those not given are 0.
double oscar_value(std::span<const double> w, const OscarPenalty& penalty);

// Throws Error unless the indices are different and below `dimension`.
void check_indices(std::span<const std::int64_t> indices, std::size_t dimension);

}  // namespace tunesmith
