// Proximity operators of the sorted L1 norm and of OSCAR, and the groups of equal weights they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory/scratch.hpp"

namespace tunesmith {

// l1 · Σ|w_i| + l2 · Σ_{i<j} max(|w_i|, |w_j|) over `dimension` weights (Bondell and Reich 2008), which is a
// sorted L1 norm: the weight of rank i (from 0) is the larger one of dimension - 1 - i pairs.
struct OscarPenalty {
  std::size_t dimension;
  double l1, l2;
  double operator()(std::size_t rank) const {
    return l1 + l2 * (static_cast<double>(dimension - 1) - static_cast<double>(rank));
  }
};

// Writes to `out` the point x that minimises ½‖x - w‖² + step · Σ_i penalties[i] · |x|_(i), with |x|_(1) ≥ |x|_(2)
// ≥ …: sort, pool adjacent violators, clip at 0, signs back (Bogdan et al. 2015, Algorithm 4; Liu et al. 2013,
// Algorithm 3). penalties do not increase and are not negative, at least one for each weight; step ≥ 0. Cost: that
// of ranking the u weights that can survive (MagnitudeRanks), then O(u). `w` and `out` may be the same array.
// Weights of one pooled block are the same number afterwards, those of different blocks are not. Throws Error for
// arrays or penalties that do not fit.
void prox_sorted_l1(std::span<const double> w, std::span<const double> penalties, double step,
                    std::span<double> out);

// The same for OSCAR. dimension ≥ number of weights: weights that are not given are 0, and cost nothing.
void prox_oscar(std::span<const double> w, const OscarPenalty& penalty, double step, std::span<double> out);

// Equal weights, sign included: +v and -v are two groups. The largest magnitude first, +v before -v; a weight of 0
// is in no group (-1).
struct EqualGroups {
  Scratch<std::int32_t> of;     // for each weight the number of its group
  Scratch<double> weights;      // of `count` groups
  Scratch<std::int64_t> sizes;  // number of weights in them
  std::size_t count = 0;
};
EqualGroups equal_groups(std::span<const double> w);

// OSCAR at `w`, over `dimension` weights of which those not given are 0.
double oscar_value(std::span<const double> w, const OscarPenalty& penalty);

// Throws Error unless the indices are different and below `dimension`.
void check_indices(std::span<const std::int64_t> indices, std::size_t dimension);

}  // namespace tunesmith
