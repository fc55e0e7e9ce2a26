// Probabilities of rules from counts: relative frequency, Good-Turing, Kneser-Ney (Foster et al. 2006).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tunesmith {

enum class RuleSmoothing { none, good_turing, kneser_ney };

class Probabilities {
 public:
  // `rules`: how many were seen; `counts_of_counts`: how many of them 1, 2, … 10 or more times (N_r).
  Probabilities(RuleSmoothing smoothing, std::uint64_t rules,
                const std::array<std::uint64_t, 11>& counts_of_counts)
      : smoothing_(smoothing), rules_(static_cast<double>(rules)) {
    const auto n = [&](std::size_t r) { return static_cast<double>(counts_of_counts[r]); };
    good_turing_.fill(1);
    for (std::size_t r = 1; r < 9; ++r) {  // r* / r = (r + 1) N_{r+1} / (r N_r)
      const auto count = static_cast<double>(r);
      if (n(r) > 0 && n(r + 1) > 0) good_turing_[r] = std::min(1.0, (count + 1) * n(r + 1) / (count * n(r)));
    }
    const double y = n(1) + 2 * n(2) > 0 ? n(1) / (n(1) + 2 * n(2)) : 0;  // Chen and Goodman 1998, Eq. 26
    for (std::size_t r = 1; r <= 3; ++r) {
      const auto count = static_cast<double>(r);
      const double part = n(r) > 0 ? (count + 1) * y * n(r + 1) / n(r) : 0;
      discount_[r - 1] = std::clamp(count - part, 0.0, count);
    }
  }

  // p(a | b) of two sides a and b. `joint`: count of the rule; `given`: count of b; `kinds_of_given`: how many
  // rules with b occur once, twice, more often; `rules_of_a`: how many rules have a.
  double operator()(double joint, double given, const std::uint32_t* kinds_of_given,
                    std::uint32_t rules_of_a) const {
    if (smoothing_ == RuleSmoothing::none) return joint / given;
    const auto whole = static_cast<std::size_t>(joint + 0.5);
    if (smoothing_ == RuleSmoothing::good_turing)
      return joint * good_turing_[std::min<std::size_t>(whole, 10)] / given;
    double freed = 0;
    for (std::size_t k = 0; k < 3; ++k) freed += discount_[k] * kinds_of_given[k];
    return (joint - discount_[std::min<std::size_t>(whole, 3) - 1] + freed * rules_of_a / rules_) / given;
  }

 private:
  RuleSmoothing smoothing_;
  double rules_;
  std::array<double, 11> good_turing_ = {};
  std::array<double, 3> discount_ = {};
};

}  // namespace tunesmith
