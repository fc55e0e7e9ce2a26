// Cutting planes for the structured hinge loss with fixed oracles, solved in the dual.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"
#include "tuning/losses/lists.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {

// ½ · Σ_j curvature_j · w_j² for lower_j ≤ w_j ≤ upper_j. A weight with equal bounds is fixed; all others need a
// curvature above 0.
struct BoundedQuadratic {
  std::vector<double> curvature, lower, upper;
};

struct CuttingOptions {
  double tol = 1e-3;           // stop when primal - dual is at most this share of the primal value
  std::uint32_t rounds = 500;  // the most rounds of new planes
  std::uint64_t seed = 1;      // of the order of sentences
};

struct CuttingResult {
  double primal = 0, dual = 0;  // of the best weights met, and the bound that no weights go below
  std::uint32_t rounds = 0;
  std::uint64_t planes = 0, steps = 0;
};

// Minimises penalty(w) + mean over sentences of max_e [gain(o) - gain(e) - w · (H(o) - H(e))], e over all
// candidates and o the sentence's oracle (Cherry and Foster 2012, Eq. 4; Tsochantaridis et al. 2004, margin
// rescaling).
//
// The dual has a multiplier for each candidate, those of a sentence sum to 1/n; only candidates that were the
// worst of their list in some round have one that is stored (a plane). A round looks for them under the present
// weights, which also gives the primal value; then the multipliers of the stored ones are made better, two of a
// sentence at a time, until little is left to gain (after Hsieh et al. 2008). Weights follow from multipliers: w_j
// is v_j / curvature_j, brought between the bounds, with v = Σ multiplier · (H(o) - H(e)).
//
// With a weak penalty a small change of one multiplier moves the weights of features that all sentences share so
// far that all others have to answer. So the weights are also drawn to a centre, those of the last round, by a
// penalty that is as strong as a feature is large; it fades as the centre comes to rest (the proximal point
// method, Rockafellar 1976). The bound is that of the problem without a centre, and its minimum is the same.
//
// The order of steps depends on the seed alone; threads only share the search for the worst candidates. Matrix,
// offsets and gains must outlive the object.
class HingeDual {
 public:
  HingeDual(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> gains,
            BoundedQuadratic penalty);

  // One row for each sentence, -1 for an empty list. Planes of a sentence whose oracle stays are kept.
  void select(std::span<const std::int64_t> oracles);
  // Solves from the current multipliers. Ends early when `stop` becomes true.
  CuttingResult solve(const CuttingOptions& options, int threads, const std::atomic<bool>& stop);
  // The best weights that the last `solve` met.
  std::span<const double> weights() const { return best_; }

 private:
  struct Plane {
    std::size_t candidate = 0;
    double multiplier = 0;
    double cost = 0;                 // gain(o) - gain(e)
    double violation = 0;            // cost - w · difference, when the sentence was visited last
    std::uint32_t idle = 0;          // rounds without a multiplier
    std::vector<std::uint32_t> ids;  // H(o) - H(e)
    std::vector<double> values;
  };

  bool fixed(std::size_t j) const { return penalty_.lower[j] == penalty_.upper[j]; }
  double bounded(std::size_t j, double w) const { return std::clamp(w, penalty_.lower[j], penalty_.upper[j]); }
  double stiffness(std::size_t j) const { return penalty_.curvature[j] + pull_[j]; }
  void refresh(std::size_t column);
  void refresh_all();
  void choose_pull();
  bool move_center();
  void forget(std::size_t sentence);
  double primal_and_worst(int threads);
  double dual() const;
  std::uint64_t add_planes();
  double visit(std::size_t sentence);
  void step(std::size_t sentence);

  const CandidateMatrix& matrix_;
  const Lists lists_;
  std::span<const double> gains_;
  BoundedQuadratic penalty_;
  double share_;                            // 1 / n
  std::vector<double> v_, w_, best_;        // per column
  std::vector<double> pull_, center_;       // per column: curvature of the penalty that draws to the centre
  std::vector<std::int64_t> oracles_;       // per sentence
  std::vector<std::vector<Plane>> planes_;  // per sentence
  std::vector<double> rest_;                // per sentence: 1/n - Σ multipliers, that of the oracle
  std::vector<double> scores_, slack_;      // per candidate; per sentence
  std::vector<std::size_t> worst_;          // per sentence
  RowDifference difference_;
  std::uint64_t steps_ = 0;
  std::uint64_t passes_ = 0;
};

}  // namespace tunesmith
