// Fisher's exact test on sentence pairs (Johnson et al. 2007, Eq. 1 and 2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tunesmith {

class FisherTest {
 public:
  // `pairs`: sentence pairs of the corpus (N).
  explicit FisherTest(std::size_t pairs) : pairs_(pairs), log_factorial_(pairs + 1) {
    for (std::size_t i = 1; i <= pairs; ++i)
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
  double log_choose(std::size_t n, std::size_t k) const {
    return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k];
  }
  double log_hypergeometric(std::size_t k, std::size_t source, std::size_t target) const {
    return log_choose(source, k) + log_choose(pairs_ - source, target - k) - log_choose(pairs_, target);
  }

  std::size_t pairs_;
  std::vector<double> log_factorial_;
};

}  // namespace tunesmith
