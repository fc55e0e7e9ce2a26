// Batch MIRA with hope and fear: Cherry and Foster (2012), Algorithm 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"
#include "tuning/losses/distinct_statistics.hpp"
#include "tuning/losses/lists.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {

// Gains (the metric as a number per candidate, larger is better) are either fixed, or BLEU inside a decaying
// corpus: the background, which the caller keeps.
class Gains {
 public:
  virtual ~Gains() = default;
  // The background before the first sentence; empty where gains do not depend on one.
  virtual std::vector<double> background() const = 0;
  // Gains of the candidates of a sentence, were one of them the next to be chosen; as long as the list.
  virtual void of(std::size_t sentence, std::span<const double> background, std::vector<double>& out) = 0;
  // Asks the memory for what of() will read.
  virtual void prefetch(std::size_t) const {}
  // The candidate (from the list's begin) that was chosen, added to the background.
  virtual void choose(std::size_t sentence, std::size_t candidate, std::span<double> background) const = 0;
};

// One number per candidate, whatever was chosen before.
class FixedGains : public Gains {
 public:
  FixedGains(const Lists& lists, std::span<const double> gains);
  std::vector<double> background() const override { return {}; }
  void of(std::size_t sentence, std::span<const double> background, std::vector<double>& out) override;
  void choose(std::size_t, std::size_t, std::span<double>) const override {}

 private:
  const Lists& lists_;
  std::span<const double> gains_;
};

struct PseudoCorpusOptions {
  double decay = 0.999;  // γ
  double start = 1;      // every count of the empty background: "small positive counts"
  // BLEU_i is multiplied by the reference length of background + candidate (Chiang et al. 2008).
  bool scale_by_length = true;
};

// BLEU(background + candidate); the background is BG ← γ·BG + statistics of the chosen candidate.
class PseudoCorpusGains : public Gains {
 public:
  PseudoCorpusGains(const Lists& lists, const DistinctStatistics& statistics, const PseudoCorpusOptions& options);
  std::vector<double> background() const override;
  void of(std::size_t sentence, std::span<const double> background, std::vector<double>& out) override;
  void prefetch(std::size_t sentence) const override { statistics_.prefetch(sentence); }
  void choose(std::size_t sentence, std::size_t candidate, std::span<double> background) const override;

 private:
  const Lists& lists_;
  const DistinctStatistics& statistics_;
  PseudoCorpusOptions options_;
  std::vector<double> matches_, totals_, factors_, distinct_;  // of the distinct rows of one sentence
};

enum class Hope { model_and_gain, gain };       // arg max of score + gain, or of the gain (ties: the score)
enum class Fear { model_without_gain, model };  // arg max of score - gain, or of the score

struct PassOptions {
  double step_cap = 0.01;  // C
  Hope hope = Hope::model_and_gain;
  Fear fear = Fear::model_without_gain;
};

// What a pass changes. The average over all weights seen so far, w_1 … w_t, is weights - drift / steps.
struct PassState {
  std::span<double> weights;
  std::span<double> drift;                        // Σ_t t · (w_{t+1} - w_t)
  std::span<double> background;                   // of the gains
  std::uint64_t steps = 0;                        // t
  std::vector<std::uint32_t>* touched = nullptr;  // gets the numbers of weights that change, each as often
};

// Bounds of each weight; empty spans for none. A weight with lower = upper is fixed and takes no part in a step.
struct Box {
  std::span<const double> lower, upper;
};

struct PassResult {
  std::uint64_t updates = 0;
  double loss = 0;  // Σ of the hinge losses met
};

// The step of size min(C, loss / ‖difference‖²) along features of the hope - those of the fear, which it may
// change: fixed weights take no part. Counts itself in the result, unless the difference is 0.
void passive_aggressive_step(RowDifference& difference, double loss, double step_cap, const Box& box,
                             PassState& state, PassResult& result);

// One pass over the sentences in this order.
PassResult hope_fear_pass(const CandidateMatrix& matrix, const Lists& lists, Gains& gains,
                          std::span<const std::uint32_t> order, const PassOptions& options, const Box& box,
                          PassState& state);

}  // namespace tunesmith
