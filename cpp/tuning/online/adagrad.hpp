// AdaGrad steps with a proximal point, put off for weights that a step does not touch (Duchi et al. 2011; Duchi
// and Singer 2009; Green et al. 2014, section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory/large_pages.hpp"
#include "search/matrices/candidate_matrix.hpp"
#include "search/matrices/distinct_columns.hpp"

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
template <class Array>
struct AdaGradArrays {
  Array weights, squares, sums, since;
  Array support, sentences;  // sentences with each feature: the most of an epoch, those of this one
};
using AdaGradState = AdaGradArrays<std::vector<double>>;
using AdaGradView = AdaGradArrays<std::span<const double>>;

// Step t with the gradient g does for every weight
//   G += g²;   w ← prox of η · penalty at w - η · g,   η = η0 / (√G + ε);   then w is clipped to its bounds.
// Where g = 0 only the penalty is left, and η stays what it is: many such steps are one formula, computed when the
// weight is examined (tuners.md). So a step costs what its batch has, whatever the number of weights.
class AdaGrad {
 public:
  // steps: made before; averaged: how many of them the sums are of.
  AdaGrad(const AdaGradOptions& options, const AdaGradView& state, WeightLimits limits, std::uint64_t steps,
          std::uint64_t averaged);

  std::size_t columns() const { return weights_.size(); }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t averaged() const { return averaged_; }
  // New weights are 0. Throws Error for fewer than there are.
  void resize(std::size_t columns);
  // Sets limits for later steps; all weights are brought up to date first.
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
  // A step of the penalty alone.
  void step() { end_step(); }

  struct Changes {
    std::vector<std::uint32_t> ids;
    std::vector<double> values;
  };
  // The weights that are not what they were at the last call; all not 0 at the first one.
  Changes changed();
  // All weights after the last step; the mean of the weights after each step.
  std::vector<double> weights() const;
  std::vector<double> average() const;
  // Weights put in place of those there are, as a step that is not counted.
  void set_weights(std::span<const double> weights);
  AdaGradState state() const;

 private:
  // Numbers kept of a weight, side by side, so that a step reads one line of the cache for it.
  struct Track {
    double squares;
    double rate;  // η of these squares: penalties alone need neither a root nor a division
    double sum, since;
  };
  struct Now {
    double weight, sum;  // after the last step
  };
  Now now(std::size_t id) const;
  bool one_by_one() const { return options_.l2 > 0 || !limits_.lower.empty(); }
  double shrinkage(std::size_t id) const;  // what a step without a gradient takes from the magnitude
  double weight(std::size_t id) const;     // that of now()
  void bring_up(std::size_t id);
  void ask(std::size_t id) const;              // prefetches it
  void move(std::size_t id, double gradient);  // of a weight that is up to date
  void bring_up_columns(const CandidateLists& lists);
  void step_on_columns(const CandidateLists& lists, std::span<const double> slopes);
  void end_step();
  bool bounded(std::size_t id, double gradient) const;
  double rate_of(double squares) const;
  double shrunk(std::size_t id, double weight, double rate) const;
  void check_size(std::size_t size) const;
  void check_columns(const CandidateLists& lists) const;
  void check_limits(const WeightLimits& limits) const;

  AdaGradOptions options_;
  WeightLimits limits_;
  std::uint64_t steps_, averaged_;
  LargeVector<double> weights_;
  LargeVector<Track> tracks_;
  std::vector<double> support_, sentences_;  // as in AdaGradState
  LargeVector<double> gradient_;             // 0 between calls
  LargeVector<double> known_;                // weights at the last call of changed(); NaN before
  std::vector<std::uint32_t> moving_;        // may differ from what is known
  std::vector<std::uint8_t> listed_;         // whether in moving_
  DistinctColumns met_;                      // columns of a batch
  bool scored_ = false;                      // met_ are the columns of the lists that were scored last
};

}  // namespace tunesmith
