// Fisher's exact test on sentence pairs (Johnson et al. 2007, Eq. 1 and 2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tunesmith {

class FisherTest {
 public:
  // `pairs`: sentence pairs of the corpus (N). Throws Error for 2^62 or more.
  explicit FisherTest(std::size_t pairs) : pairs_(pairs), log_factorial_(std::min(pairs, largest_kept) + 1) {
    if (pairs >> 62 != 0) throw Error("no corpus has " + std::to_string(pairs) + " sentence pairs");
    for (std::size_t i = 1; i < log_factorial_.size(); ++i)
      log_factorial_[i] = log_factorial_[i - 1] + std::log(static_cast<double>(i));
  }

  // -log of the probability that sides found in `source` and `target` sentence pairs meet in `both` or more by
  // chance.
  double minus_log_p(std::size_t both, std::size_t source, std::size_t target) const {
    source = std::min(source, pairs_);
    target = std::min(target, pairs_);
    const std::size_t most = std::min(source, target);
    if (both > most || both + pairs_ < source + target) return 0;  // no such corpus
    const double first = log_hypergeometric(both, source, target);
    double sum = 0;  // relative to the first term
    for (std::size_t k = both; k <= most; ++k) {
      const double term = std::exp(log_hypergeometric(k, source, target) - first);
      sum += term;
      if (term < 1e-12 * sum) break;
    }
    return std::max(0.0, -(first + std::log(sum)));
  }

 private:
  static constexpr std::size_t largest_kept = std::size_t{1} << 20;

  double log_factorial(std::size_t n) const {
    if (n <= largest_kept) return log_factorial_[n];
    const auto x = static_cast<double>(n);  // Stirling's series; the next term is below 10^-20
    return x * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi * x) + 1 / (12 * x);
  }
  double log_choose(std::size_t n, std::size_t k) const {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
  }
  double log_hypergeometric(std::size_t k, std::size_t source, std::size_t target) const {
    return log_choose(source, k) + log_choose(pairs_ - source, target - k) - log_choose(pairs_, target);
  }

  std::size_t pairs_;
  std::vector<double> log_factorial_;
};

}  // namespace tunesmith
