// The expected gain of candidates drawn from the model: minimum risk (Smith and Eisner 2006; Cherry and Foster
// 2012, 2.4).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "search/matrices/candidate_matrix.hpp"
#include "tuning/losses/lists.hpp"

namespace tunesmith {

// One number per candidate, larger is better; p(e) ∝ exp(scale · w · H(e)) within a list. The risk of a sentence
// is -Σ_e p(e) · gain(e) - entropy · H(p), H(p) = -Σ_e p(e) · log p(e).
struct ExpectedGain {
  std::span<const double> gains;
  double scale = 1;
  double entropy = 0;
};

// The mean risk over sentences, and its gradient, for entropy 0: -scale · (E[gain · H] - E[gain] · E[H]). An empty
// `gradient` is not computed; empty lists count 0.
double expected_gain(const CandidateMatrix& matrix, const Lists& lists, const ExpectedGain& settings,
                     std::span<const double> w, std::span<double> gradient, int threads);
// The sums in place of the means.   a_block: sentences of a block of the sum (gradient_blocks.hpp), 0 for what
// their number says.
double expected_gain_sums(const CandidateMatrix& matrix, const Lists& lists, const ExpectedGain& settings,
                          std::span<const double> w, std::span<double> gradient, int threads,
                          std::size_t a_block = 0);

// The sum of the risks over sentences for given scores of all candidates, which become its derivatives by them.
double expected_gain_slopes(const Lists& lists, const ExpectedGain& settings, std::span<double> scores);

// Rates of rate / (1 + rate · l2 · t), t from 1 (Bottou 2010).
struct Descent {
  double rate = 1;  // η0
  double l2 = 0;    // λ, of a penalty ½ · λ · ‖w‖² for each sentence
};
// Throws Error for a rate or a penalty that is no such number.
void check(const Descent& descent);

// One pass of stochastic gradient descent on the risk of single sentences, in this order; `weights` is changed.
// `steps` were made before; gives how many have been made now. Ends early when `stop` becomes true.
std::uint64_t descend_expected_gain(const CandidateMatrix& matrix, const Lists& lists,
                                    const ExpectedGain& settings, std::span<const std::uint32_t> order,
                                    const Descent& descent, std::uint64_t steps, std::span<double> weights,
                                    const std::atomic<bool>& stop);

}  // namespace tunesmith
