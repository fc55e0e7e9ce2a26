#include "grammar/collection/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/discounts.hpp"
#include "base/error.hpp"

namespace tunesmith {
namespace {

constexpr std::uint64_t largest_kept = 1 << 16;  // beyond, the fitted estimate is good enough

double real(std::uint64_t x) {
  return static_cast<double>(x);
}

// b of log Z = a + b log r by least squares, Z_r being N_r averaged over the gaps next to r.
double fit(const CountsOfCounts& counts) {
  double n = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
  std::uint64_t before = 0;
  for (auto at = counts.begin(); at != counts.end(); ++at) {
    const auto next = std::next(at);
    const std::uint64_t r = at->first, after = next == counts.end() ? 2 * r - before : next->first;
    const double x = std::log(real(r)), y = std::log(2 * real(at->second) / real(after - before));
    n += 1, x_sum += x, y_sum += y, xx_sum += x * x, xy_sum += x * y;
    before = r;
  }
  return (n * xy_sum - x_sum * y_sum) / (n * xx_sum - x_sum * x_sum);
}

}  // namespace

GoodTuring::GoodTuring(const CountsOfCounts& counts) {
  const auto refuse = [](const std::string& why) {
    throw Error("Good-Turing smoothing cannot be estimated: " + why +
                ". Is the text small, or full of repeated lines? Leave out the smoothing, or try kneser-ney");
  };
  if (counts.empty()) return;
  if (counts.size() < 2) refuse("all rules occur equally often");
  slope_ = fit(counts);
  if (!(slope_ < -1)) refuse("too few rules are rare (the slope is " + std::to_string(slope_) + ")");
  const auto number = [&](std::uint64_t r) {
    const auto found = counts.find(r);
    return found == counts.end() ? 0.0 : real(found->second);
  };
  bool turing = true;
  const std::uint64_t last = std::min(counts.rbegin()->first, largest_kept);
  for (std::uint64_t r = 1; r <= last; ++r) {
    double estimate = fitted(r);
    const double here = number(r), above = number(r + 1);
    turing = turing && here > 0 && above > 0;
    if (turing) {
      const double raw = real(r + 1) * above / here;
      const double deviation = real(r + 1) * std::sqrt(above / here / here * (1 + above / here));
      turing = std::abs(raw - estimate) > 1.65 * deviation;
      if (turing) estimate = raw;
    }
    smoothed_.push_back(std::max(smoothed_.back(), std::min(estimate, real(r))));
  }
}

double GoodTuring::fitted(std::uint64_t r) const {
  return real(r) * std::pow(1 + 1 / real(r), slope_ + 1);
}

double GoodTuring::operator()(std::uint64_t r) const {
  return r < smoothed_.size() ? smoothed_[r] : std::max(smoothed_.back(), fitted(r));
}

Probabilities::Probabilities(RuleSmoothing smoothing, const CountsOfCounts& counts) : smoothing_(smoothing) {
  for (const auto& [occurrences, rules] : counts) rules_ += real(rules);
  if (counts.empty()) return;
  if (smoothing == RuleSmoothing::good_turing) good_turing_.emplace_back(counts);
  if (smoothing != RuleSmoothing::kneser_ney) return;
  std::array<std::uint64_t, 5> with_count = {};
  for (std::size_t r = 1; r < with_count.size(); ++r)
    if (const auto found = counts.find(r); found != counts.end()) with_count[r] = found->second;
  const DiscountEstimate estimate = estimate_discounts(with_count, "rule");
  if (!estimate.failure.empty())
    throw Error("the discounts of Kneser-Ney smoothing cannot be estimated: " + estimate.failure +
                ". Is the text small, or full of repeated lines? Leave out the smoothing, or try good-turing");
  discount_ = estimate.amount;
}

double Probabilities::operator()(double joint, std::uint64_t occurrences, double given, const Shares& of_given,
                                 std::uint64_t rules_of_a) const {
  if (smoothing_ == RuleSmoothing::none) return joint / given;
  if (smoothing_ == RuleSmoothing::good_turing)
    return joint * (good_turing_[0](occurrences) / real(occurrences)) / given;
  double freed = 0;
  for (std::size_t k = 0; k < 3; ++k) freed += discount_[k] * of_given[k];
  const double discount = discount_[occurrence_kind(occurrences)];
  return (joint - joint / real(occurrences) * discount + freed * real(rules_of_a) / rules_) / given;
}

}  // namespace tunesmith
