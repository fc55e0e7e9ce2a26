// The loss of pairs of candidates that should be ranked one above the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"
#include "search/matrices/distinct_columns.hpp"
#include "tuning/losses/lists.hpp"
#include "tuning/losses/margin_loss.hpp"

namespace tunesmith {

// Differences of features are never stored: a pair is two rows of the matrix, scores are computed once per row
// that is used and the gradient adds each such row once. The matrix must outlive the object.
class PairLoss {
 public:
  // Pairs are sorted by sentence; the two candidates of a pair belong to one list. Throws Error otherwise.
  // weights: how much each pair counts, above 0; all the same if there are none.
  PairLoss(const CandidateMatrix& matrix, const Lists& lists, std::span<const std::int64_t> better,
           std::span<const std::int64_t> worse, std::span<const double> weights, PairLossKind kind,
           double smoothing);

  std::size_t size() const { return better_.size(); }
  // The mean loss of a pair; its gradient in `gradient`. Both have columns() numbers.
  double value_and_gradient(std::span<const double> w, std::span<double> gradient, int threads) const;
  // The sum of the losses, each pair as often as it counts, and its gradient: `share` times it is the mean.
  // a_block: sentences of a block of the sum (gradient_blocks.hpp), 0 for what their number says.
  double sums(std::span<const double> w, std::span<double> gradient, int threads, std::size_t a_block = 0) const;
  double share() const { return share_; }
  // The sum of the losses for given scores of all candidates, each pair as often as it counts; its derivatives by
  // the scores in `slopes`.
  double value_and_slopes(std::span<const double> scores, std::span<double> slopes) const;
  // The mean square of the difference of a pair, by column.
  void mean_squares(std::span<double> squares, int threads) const;

 private:
  double weight(std::size_t pair) const { return weights_.empty() ? 1.0 : weights_[pair]; }

  const CandidateMatrix& matrix_;
  PairLossKind kind_;
  double smoothing_;
  double share_ = 0;             // 1 / the sum of all weights
  std::vector<double> weights_;  // of the pairs
  // Used rows of list s: rows_[row_offsets_[s] .. row_offsets_[s + 1]), ascending; pairs of s are two places among
  // them.
  std::vector<std::size_t> row_offsets_{0}, pair_offsets_{0};
  std::vector<std::uint32_t> rows_, better_, worse_;
};

}  // namespace tunesmith
