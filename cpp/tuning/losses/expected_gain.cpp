#include "tuning/losses/expected_gain.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tuning/losses/gradient_blocks.hpp"

namespace tunesmith {
namespace {

// Turns the scores of a list into the derivatives of its risk by the scores; gives the risk. `shares` is space.
double risk_of_list(const ExpectedGain& settings, std::size_t begin, std::vector<double>& scores,
                    std::vector<double>& shares) {
  const double* gains = settings.gains.data() + begin;
  const double highest = *std::max_element(scores.begin(), scores.end());
  shares.resize(scores.size());
  double total = 0, expected = 0, mean = 0;  // mean: E[log p + log total] = -H(p) + log total
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double log_share = settings.scale * (scores[i] - highest);
    shares[i] = std::exp(log_share);
    total += shares[i];
    expected += shares[i] * gains[i];
    mean += shares[i] * log_share;
  }
  expected /= total;
  mean /= total;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double slope = expected - gains[i];
    if (settings.entropy != 0) slope += settings.entropy * (settings.scale * (scores[i] - highest) - mean);
    scores[i] = settings.scale * (shares[i] / total) * slope;
  }
  return -expected - (settings.entropy == 0 ? 0.0 : settings.entropy * (std::log(total) - mean));
}

void check(const CandidateMatrix& matrix, const Lists& lists, const ExpectedGain& settings, std::size_t weights) {
  if (weights != matrix.columns())
    throw Error(std::to_string(weights) + " weights for " + std::to_string(matrix.columns()) + " features");
  if (settings.gains.size() != lists.rows() || matrix.rows() != lists.rows())
    throw Error("there must be one gain and one row of features for each candidate");
}

}  // namespace

double expected_gain(const CandidateMatrix& matrix, const Lists& lists, const ExpectedGain& settings,
                     std::span<const double> w, std::span<double> gradient, int threads) {
  const double sum = expected_gain_sums(matrix, lists, settings, w, gradient, threads);
  const double share = lists.size() == 0 ? 0.0 : 1.0 / static_cast<double>(lists.size());
  for (double& slope : gradient) slope *= share;
  return share * sum;
}

double expected_gain_sums(const CandidateMatrix& matrix, const Lists& lists, const ExpectedGain& settings,
                          std::span<const double> w, std::span<double> gradient, int threads,
                          std::size_t a_block) {
  check(matrix, lists, settings, w.size());
  if (!gradient.empty() && gradient.size() != w.size()) throw Error("there must be a derivative for each weight");
  const auto make_work = [&] {
    return [&, list = std::vector<double>(), shares = std::vector<double>()](std::size_t s, auto&& sum) mutable {
      const std::size_t begin = lists.begin(s), length = lists.length(s);
      if (length == 0) return 0.0;
      list.resize(length);
      matrix.dots(begin, begin + length, w, list.data());
      const double risk = risk_of_list(settings, begin, list, shares);
      if (!gradient.empty())
        for (std::size_t i = 0; i < length; ++i)
          if (list[i] != 0) matrix.add_row(begin + i, list[i], sum);
      return risk;
    };
  };
  return sum_over_sentences(lists.size(), gradient, threads, make_work, a_block);
}

void check(const Descent& descent) {
  if (!(descent.rate > 0) || !std::isfinite(descent.rate)) throw Error("the rate must be above 0");
  if (!(descent.l2 >= 0) || !std::isfinite(descent.l2)) throw Error("the penalty must be at least 0");
}

double expected_gain_slopes(const Lists& lists, const ExpectedGain& settings, std::span<double> scores) {
  if (settings.gains.size() != lists.rows() || scores.size() != lists.rows())
    throw Error("there must be one gain and one score for each candidate");
  double total = 0;
  std::vector<double> list, shares;
  for (std::size_t s = 0; s < lists.size(); ++s) {
    const auto mine = scores.subspan(lists.begin(s), lists.length(s));
    if (mine.empty()) continue;
    list.assign(mine.begin(), mine.end());
    total += risk_of_list(settings, lists.begin(s), list, shares);
    std::copy(list.begin(), list.end(), mine.begin());
  }
  return total;
}

std::uint64_t descend_expected_gain(const CandidateMatrix& matrix, const Lists& lists,
                                    const ExpectedGain& settings, std::span<const std::uint32_t> order,
                                    const Descent& descent, std::uint64_t steps, std::span<double> weights,
                                    const std::atomic<bool>& stop) {
  check(matrix, lists, settings, weights.size());
  check(descent);
  for (const std::uint32_t s : order)
    if (s >= lists.size()) throw Error("there is no sentence " + std::to_string(s));
  // The weights are factor · `weights` on the way: the penalty shrinks all of them at the cost of one number.
  double factor = 1;
  std::vector<double> list, shares;
  for (const std::uint32_t s : order) {
    if (stop.load(std::memory_order_relaxed)) break;
    const double rate = descent.rate / (1 + descent.rate * descent.l2 * static_cast<double>(++steps));
    const std::size_t begin = lists.begin(s), length = lists.length(s);
    list.resize(length);
    if (length > 0) {
      matrix.dots(begin, begin + length, weights, list.data());
      for (double& score : list) score *= factor;
      risk_of_list(settings, begin, list, shares);
    }
    factor *= 1 - rate * descent.l2;
    for (std::size_t i = 0; i < length; ++i)
      if (list[i] != 0) matrix.add_row(begin + i, -rate / factor * list[i], weights);
  }
  for (double& weight : weights) weight *= factor;
  return steps;
}

}  // namespace tunesmith
