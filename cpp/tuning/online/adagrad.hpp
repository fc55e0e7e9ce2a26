// AdaGrad steps with a proximal point, put off for weights that a step does not touch (Duchi et al. 2011; Duchi
// and Singer 2009; Green et al. 2014, section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

struct AdaGradOptions {
  double rate = 0.02;     // η0
  double epsilon = 1e-3;  // η_j = η0 / (√G_j + ε)
  double l1 = 0, l2 = 0;  // of the penalty l1 · |w| + ½ · l2 · w² of each weight
  // A feature takes part once this many sentences of one epoch had a candidate with it.
  std::uint32_t min_sentences = 1;
};

// Bounds and penalty factors of each weight; empty for none.
struct WeightLimits {
  std::vector<double> lower, upper, factors;
};

// What a saved run needs: weights are as they were after step `since`, with what they add up to until then.
struct AdaGradState {
  std::vector<double> weights, squares, sums, since;
  std::vector<double> support, sentences;  // sentences with each feature: the most of an epoch, those of this one
};

// Step t with the gradient g does for every weight
//   G += g²;   w ← prox of η · penalty at w - η · g,   η = η0 / (√G + ε);   then w is clipped to its bounds.
// Where g = 0 only the penalty is left, and η stays what it is: many such steps are one formula, computed when the
// weight is looked at (tuners.md). So a step costs what its batch has, whatever the number of weights.
class AdaGrad {
 public:
  // steps: made before; averaged: how many of them the sums are of.
  AdaGrad(const AdaGradOptions& options, AdaGradState state, WeightLimits limits, std::uint64_t steps,
          std::uint64_t averaged);

  std::size_t columns() const { return state_.weights.size(); }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t averaged() const { return averaged_; }
  // New weights are 0. Throws Error for fewer than there are.
  void resize(std::size_t columns);
  // Other limits from now on; all weights are brought up to date first.
  void set_limits(WeightLimits limits);
  // Forgets which sentences had which feature in the epoch before.
  void begin_epoch();
  // The average is one of the steps from now on.
  void begin_average();

  // X · w, with the weights as they are now.
  void scores(const CandidateLists& lists, std::span<double> out);
  // Counts the sentences of a batch in which a feature occurs; only for min_sentences above 1.
  void count(const CandidateLists& lists);
  // A step with the gradient Xᵀ · slopes. Throws Error, with nothing changed, if it or its square is not finite.
  void step(const CandidateLists& lists, std::span<const double> slopes);
  // The same for lists whose scores were the last thing asked for: their columns are known.
  void step_on_scored(const CandidateLists& lists, std::span<const double> slopes);
  // The same with a gradient for every weight.
  void step(std::span<const double> gradient);

  // Numbers of the weights that are not what they were at the last call; all not 0 at the first one.
  std::vector<std::uint32_t> changed();
  double weight(std::uint32_t id) const { return state_.weights[id]; }  // as of the last call of changed()
  // All weights after the last step; the mean of the weights after each step.
  std::vector<double> weights() const;
  std::vector<double> average() const;
  // Weights put in place of those there are, as a step that is not counted.
  void set_weights(std::span<const double> weights);
  const AdaGradState& state() const { return state_; }

 private:
  struct Now {
    double weight, sum;  // after the last step
  };
  Now now(std::size_t id) const;
  void bring_up(std::size_t id);
  void move(std::size_t id, double gradient);
  void bring_up_columns(const CandidateLists& lists);
  void step_on_columns(const CandidateLists& lists, std::span<const double> slopes);
  void end_step();
  bool bounded(std::size_t id, double gradient) const;
  double rate_of(std::size_t id) const;
  double shrunk(std::size_t id, double weight, double rate) const;
  void check_size(std::size_t size) const;
  void check_columns(const CandidateLists& lists) const;
  void check_limits(const WeightLimits& limits) const;

  AdaGradOptions options_;
  AdaGradState state_;
  WeightLimits limits_;
  std::uint64_t steps_, averaged_;
  std::vector<double> gradient_;             // 0 between calls
  std::vector<double> known_;                // weights at the last call of changed()
  std::vector<std::uint32_t> moving_, ids_;  // may differ from what is known; columns of a batch
  bool scored_ = false;                      // ids_ are the columns of the lists that were scored last
  std::vector<std::uint8_t> listed_, met_;   // whether in moving_; in ids_ (0 between calls)
};

}  // namespace tunesmith
