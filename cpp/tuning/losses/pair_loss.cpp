#include "tuning/losses/pair_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/narrow.hpp"
#include "tuning/losses/gradient_blocks.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {

PairLoss::PairLoss(const CandidateMatrix& matrix, const Lists& lists, std::span<const std::int64_t> better,
                   std::span<const std::int64_t> worse, std::span<const double> weights, PairLossKind kind,
                   double smoothing)
    : matrix_(matrix), kind_(kind), smoothing_(smoothing), weights_(weights.begin(), weights.end()) {
  if (better.size() != worse.size()) throw Error("there must be as many better as worse candidates");
  if (!weights.empty() && weights.size() != better.size()) throw Error("there must be a weight for every pair");
  double sum = 0;
  for (std::size_t pair = 0; pair < better.size(); ++pair) {
    if (!(weight(pair) > 0) || !std::isfinite(weight(pair)))
      throw Error("weights of pairs must be finite numbers above 0");
    sum += weight(pair);
  }
  if (!better.empty()) share_ = 1 / sum;
  if (!(smoothing >= 0) || !std::isfinite(smoothing)) throw Error("smoothing must be a number of at least 0");
  if (matrix.rows() != lists.rows()) throw Error("the lists do not belong to the matrix");
  if (lists.rows() > std::numeric_limits<std::uint32_t>::max()) throw Error("too many candidates");
  better_.reserve(better.size());
  worse_.reserve(better.size());
  std::size_t pair = 0;
  for (std::size_t s = 0; s < lists.size(); ++s) {
    const auto begin = static_cast<std::int64_t>(lists.begin(s)), end = static_cast<std::int64_t>(lists.end(s));
    const std::size_t first_row = rows_.size(), first_pair = pair;
    const auto belongs = [&](std::int64_t candidate) { return candidate >= begin && candidate < end; };
    for (; pair < better.size() && belongs(better[pair]); ++pair) {
      if (!belongs(worse[pair])) throw Error("pair " + std::to_string(pair) + " has candidates of two sentences");
      rows_.push_back(narrow<std::uint32_t>(better[pair], "candidates"));
      rows_.push_back(narrow<std::uint32_t>(worse[pair], "candidates"));
    }
    const auto mine = rows_.begin() + static_cast<std::ptrdiff_t>(first_row);
    std::sort(mine, rows_.end());
    rows_.erase(std::unique(mine, rows_.end()), rows_.end());
    const auto place = [&](std::int64_t candidate) {
      return static_cast<std::uint32_t>(
          std::lower_bound(mine, rows_.end(), static_cast<std::uint32_t>(candidate)) - mine);
    };
    for (std::size_t p = first_pair; p < pair; ++p) {
      better_.push_back(place(better[p]));
      worse_.push_back(place(worse[p]));
    }
    row_offsets_.push_back(rows_.size());
    pair_offsets_.push_back(pair);
  }
  if (pair != better.size())
    throw Error("pair " + std::to_string(pair) + " is not in the order of sentences, or names no candidate");
}

double PairLoss::value_and_gradient(std::span<const double> w, std::span<double> gradient, int threads) const {
  const double sum = sums(w, gradient, threads);
  for (double& slope : gradient) slope *= share_;
  return share_ * sum;
}

double PairLoss::sums(std::span<const double> w, std::span<double> gradient, int threads,
                      std::size_t a_block) const {
  if (w.size() != matrix_.columns() || gradient.size() != w.size())
    throw Error(std::to_string(w.size()) + " weights for " + std::to_string(matrix_.columns()) + " features");
  const auto make_work = [&] {
    return [&, scores = std::vector<double>(), coefficients = std::vector<double>(),
            whole = std::vector<double>()](std::size_t s, auto&& sum) mutable {
      const std::uint32_t* rows = rows_.data() + row_offsets_[s];
      const std::size_t count = row_offsets_[s + 1] - row_offsets_[s];
      if (count == 0) return 0.0;
      scores.resize(count);
      coefficients.assign(count, 0.0);
      const std::size_t reach = rows[count - 1] - rows[0] + 1;
      if (reach <= 4 * count) {  // cheaper than row by row
        whole.resize(reach);
        matrix_.dots(rows[0], rows[0] + reach, w, whole.data());
        for (std::size_t i = 0; i < count; ++i) scores[i] = whole[rows[i] - rows[0]];
      } else {
        for (std::size_t i = 0; i < count; ++i) matrix_.dots(rows[i], rows[i] + std::size_t{1}, w, &scores[i]);
      }
      double value = 0;
      for (std::size_t p = pair_offsets_[s]; p < pair_offsets_[s + 1]; ++p) {
        const double margin = scores[better_[p]] - scores[worse_[p]];
        const MarginLoss loss = margin_loss(kind_, margin, smoothing_);
        value += weight(p) * loss.value;
        coefficients[better_[p]] += weight(p) * loss.slope;
        coefficients[worse_[p]] -= weight(p) * loss.slope;
      }
      for (std::size_t i = 0; i < count; ++i)
        if (coefficients[i] != 0) matrix_.add_row(rows[i], coefficients[i], sum);
      return value;
    };
  };
  return sum_over_sentences(row_offsets_.size() - 1, gradient, threads, make_work, a_block);
}

double PairLoss::value_and_slopes(std::span<const double> scores, std::span<double> slopes) const {
  if (scores.size() != matrix_.rows() || slopes.size() != scores.size())
    throw Error("there must be a score for each candidate, " + std::to_string(matrix_.rows()));
  std::fill(slopes.begin(), slopes.end(), 0.0);
  double value = 0;
  for (std::size_t s = 0; s + 1 < row_offsets_.size(); ++s) {
    const std::uint32_t* rows = rows_.data() + row_offsets_[s];
    for (std::size_t p = pair_offsets_[s]; p < pair_offsets_[s + 1]; ++p) {
      const std::uint32_t better = rows[better_[p]], worse = rows[worse_[p]];
      const double margin = scores[better] - scores[worse];
      const MarginLoss loss = margin_loss(kind_, margin, smoothing_);
      value += weight(p) * loss.value;
      slopes[better] += weight(p) * loss.slope;
      slopes[worse] -= weight(p) * loss.slope;
    }
  }
  return value;
}

void PairLoss::mean_squares(std::span<double> squares, int threads) const {
  if (squares.size() != matrix_.columns()) throw Error("there must be a place for every feature");
  const auto make_work = [&] {
    return [&, ids = std::vector<std::uint32_t>(), values = std::vector<double>(),
            ends = std::vector<std::size_t>(), difference = RowDifference()](std::size_t s, auto&& sum) mutable {
      ids.clear();
      values.clear();
      ends.assign(1, 0);
      for (std::size_t at = row_offsets_[s]; at < row_offsets_[s + 1]; ++at) {
        matrix_.row(rows_[at], ids, values);
        ends.push_back(ids.size());
      }
      const auto row = [&](const auto& all, std::uint32_t at) {
        return std::span(all).subspan(ends[at], ends[at + 1] - ends[at]);
      };
      for (std::size_t p = pair_offsets_[s]; p < pair_offsets_[s + 1]; ++p) {
        difference.subtract(row(ids, better_[p]), row(values, better_[p]), row(ids, worse_[p]),
                            row(values, worse_[p]));
        expect_in(sum, difference.ids.size());
        for (std::size_t i = 0; i < difference.ids.size(); ++i)
          add_to(sum, difference.ids[i], share_ * weight(p) * difference.values[i] * difference.values[i]);
      }
      return 0.0;
    };
  };
  sum_over_sentences(row_offsets_.size() - 1, squares, threads, make_work);
}

}  // namespace tunesmith
