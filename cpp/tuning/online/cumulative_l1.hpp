// L1 by cumulative penalty on ranked pairs (Tsuruoka et al. 2009), without paying for weights that a pair does not
// touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuning/online/differences.hpp"
#include "tuning/online/online_oscar.hpp"

namespace tunesmith {

// Step t takes a pair x (better - worse) and
//   1. if 1 - x·w > 0, adds η_t x to the weights;
//   2. pulls every penalised weight towards 0, at most to 0, until it has got the whole penalty that a weight
//      of its sign could have got so far, u_t = λ Σ_{s≤t} η_s: by u_t + q if it is above 0, by u_t - q if
//      below (their section 3.2), where q is the signed sum of what it did get.
// η_t = rate / (delay + t); λ is the l1 of the options, which must have l2 = 0.
//
// Line 2 without a gradient between can be done at once for many steps, and the total is the same when one came in
// between (prox.md): a weight is kept as it was after its last gradient, and what it is worth now is
// computed when it is read. The published program, too, leaves weights that are not used alone, but then computes
// margins with what they were; here they are up to date at every step.
class CumulativeL1 {
 public:
  // The arguments of OnlineOscar.
  CumulativeL1(const OnlineOptions& options, std::span<const double> start_penalised,
               std::span<const double> start_dense);

  // Before the first step: what weights could have got (u) and have got (q) from a learner that this one
  // continues.
  void resume(double total, std::span<const double> received);
  // One step for each pair of `order`: O(entries of the pair), and O(weights) once a call. Ends early when `stop`
  // becomes true.
  void run(const Differences& differences, std::span<const std::uint32_t> order, const std::atomic<bool>& stop);
  // Begins to sum up every weight after each step.
  void begin_average();

  // The groups stay uncounted, `skipped` are the steps without a gradient.
  const OnlineCounts& counts() const { return counts_; }
  std::vector<double> penalised() const;
  const std::vector<double>& dense() const { return dense_; }
  double total() const { return totals_.back(); }
  std::vector<double> received() const;
  // The mean over the steps since begin_average(); throws Error if there are none.
  std::vector<double> average_penalised() const;
  std::vector<double> average_dense() const;

 private:
  // After its last gradient, at step `since` of this call of run().
  struct Weight {
    double value = 0;
    double received = 0;  // q
    std::uint32_t since = 0;
  };

  // The rest of a weight when u_t = total.
  static double left(const Weight& weight, double total);
  void add(const Differences& differences, std::size_t pair, double scale, std::size_t step);
  void sum_up(std::size_t id, std::size_t step);

  OnlineOptions options_;
  std::vector<Weight> weights_;
  std::vector<double> dense_;
  std::vector<double> sums_, dense_sums_;    // of the averages; dense ones as if the present value had always been
  std::vector<double> totals_, total_sums_;  // u after each step of this call, [0] before it; sums from 1 on
  bool averaging_ = false;
  double sampled_ = 0;
  OnlineCounts counts_;
};

}  // namespace tunesmith
