// Algorithm 2 of Liu et al. (2013), online feature grouping, without paying for weights that a pair does not
// touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuning/online/differences.hpp"
#include "tuning/online/group_members.hpp"
#include "tuning/online/moving_groups.hpp"

namespace tunesmith {

// Step t takes a pair x (better - worse) and
//   1. if 1 - x·w > 0, adds η_t x to the weights (line 4 with its sign put right);
//   2. moves the penalised weights to the proximal point of η_{t+1} (λ1 Σ|w_i| + λ2 Σ_{i<j} max(|w_i|, |w_j|))
//      (line 5: Q has t + 1).
// η_t = rate / (delay + t). Dense weights are not penalised and take no rank.
struct OnlineOptions {
  OscarStrength strength;
  double rate = 1;          // η0
  double delay = 0;         // t0
  bool learn_dense = true;  // false: they keep their start
};

// Throws Error for options, start weights or a dimension that cannot be.
void check_online(const OnlineOptions& options, std::span<const double> start_penalised,
                  std::span<const double> start_dense);
// Throws Error for pairs of other weights than the learner's, and for numbers of pairs that are not there.
void check_pairs(const Differences& differences, std::span<const std::uint32_t> order, std::size_t penalised,
                 std::size_t dense);

struct OnlineCounts {
  std::uint64_t steps = 0;
  std::uint64_t violated = 0;  // steps with a gradient
  std::uint64_t skipped = 0;   // steps after which no group was touched: neither a gradient nor an event
  double groups = 0;           // Σ over the steps of the number of groups of equal size |w|
};

// The exact trajectory of the two lines above: O(k) for a pair of k entries that violates nothing, O(k · capacity
// + M / capacity) for one that does, M groups; nothing depends on the number of weights or on d.
class OnlineOscar {
 public:
  OnlineOscar(const OnlineOptions& options, std::span<const double> start_penalised,
              std::span<const double> start_dense, std::size_t capacity = 0);
  OnlineOscar(const OnlineOscar&) = delete;  // the members look at the groups
  OnlineOscar& operator=(const OnlineOscar&) = delete;

  // One step for each pair of `order`. Ids of the pairs are places of the penalised weights; weights that no pair
  // has take part in ranks. Ends early when `stop` becomes true.
  void run(const Differences& differences, std::span<const std::uint32_t> order, const std::atomic<bool>& stop);
  // Begins to sum up every weight after each step.
  void begin_average();

  const OnlineCounts& counts() const { return counts_; }
  std::size_t groups() const { return groups_.size(); }
  const std::vector<double>& dense() const { return dense_; }
  std::vector<double> penalised();
  // The mean over the steps since begin_average(); throws Error if there are none.
  std::vector<double> average_penalised();
  std::vector<double> average_dense();
  // The number of each weight's group: those of equal |w|, the highest is 0; -1 for a weight that is 0.
  std::vector<std::int64_t> group_numbers();

 private:
  void look_ahead(const Differences& differences, std::span<const std::uint32_t> order, std::size_t now) const;
  double margin(const Differences& differences, std::size_t pair);
  void add(const Differences& differences, std::size_t pair, double scale);
  void add_dense(std::span<const double> row, double scale);

  OnlineOptions options_;
  MovingGroups groups_;
  GroupMembers members_;
  std::vector<double> dense_, dense_sums_;  // the sums as if the present value had been there all the time
  std::vector<double> values_;              // of the pair that is examined
  std::vector<GroupMembers::Change> changes_;
  std::vector<MovingGroups::Ended> ended_;
  bool averaging_ = false;
  double sampled_ = 0;
  OnlineCounts counts_;
};

}  // namespace tunesmith
