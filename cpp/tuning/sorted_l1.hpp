// Proximity operators of the sorted L1 norm and of OSCAR.
#pragma once

#include <cstddef>
#include <span>

namespace tunesmith {

// Writes to `out` the point x that minimises ½‖x - w‖² + step · Σ_i penalties[i] · |x|_(i), with |x|_(1) ≥ |x|_(2)
// ≥ …: sort, pool adjacent violators, clip at 0, signs back (Bogdan et al. 2015, Algorithm 4; Liu et al. 2013,
// Algorithm 3). penalties do not increase and are not negative, one for each weight; step ≥ 0. O(u log u) for u
// weights that are not 0. `w` and `out` may be the same array. Throws Error for arrays or penalties that do not
// fit.
void prox_sorted_l1(std::span<const double> w, std::span<const double> penalties, double step,
                    std::span<double> out);

// The same for OSCAR (Bondell and Reich 2008): penalties[i] = l1 + l2 · (dimension - 1 - i), the pairwise maximum
// written as a sorted norm. dimension ≥ number of weights: weights that are not given are 0.
void prox_oscar(std::span<const double> w, std::size_t dimension, double l1, double l2, double step,
                std::span<double> out);

// l1 · ‖w‖₁ + l2 · Σ_{i<j} max(|w_i|, |w_j|), over `dimension` weights of which those not given are 0.
double oscar_value(std::span<const double> w, std::size_t dimension, double l1, double l2);

}  // namespace tunesmith
