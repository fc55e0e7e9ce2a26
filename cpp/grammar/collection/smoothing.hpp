// Probabilities of rules from counts: relative frequency, Good-Turing, Kneser-Ney (Foster et al. 2006).
//
// How much is taken from a rule depends on how often it occurs, r, a whole number. Where its count c is
// fractional, the same fraction is taken from it: c · r* / r, c - c · D(r) / r. For whole counts, c = r, that is
// the usual.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tunesmith {

enum class RuleSmoothing { none, good_turing, kneser_ney };

// r → how many rules occur r times (N_r), for every r that there is.
using CountsOfCounts = std::map<std::uint64_t, std::uint64_t>;

// Simple Good-Turing (Gale and Sampson 1995): r* = (r + 1) N_{r+1} / N_r while that differs significantly from the
// estimate with a fitted log N = a + b log r, which is used from there on. r* never falls and is at most r.
class GoodTuring {
 public:
  // Throws Error where there is no such line, b < -1.
  explicit GoodTuring(const CountsOfCounts& counts);
  // r*; r > 0.
  double operator()(std::uint64_t r) const;

 private:
  double fitted(std::uint64_t r) const;
  double slope_ = 0;
  std::vector<double> smoothed_ = {0};  // r* by r
};

// 0, 1, 2: a rule that occurs once, twice, more often.
inline std::size_t occurrence_kind(std::uint64_t occurrences) {
  return static_cast<std::size_t>(occurrences >= 3 ? 2 : occurrences - 1);
}

// For the rules with a side, by kind: the sum of count / occurrences. For whole counts, the number of rules.
using Shares = std::array<double, 3>;

class Probabilities {
 public:
  // Throws Error where the counts of counts do not allow the smoothing.
  Probabilities(RuleSmoothing smoothing, const CountsOfCounts& counts);

  // p(a | b) of two sides a and b. `joint`, `occurrences`: of the rule; `given`, `of_given`: of b; `rules_of_a`:
  // how many rules have a. Given b, a comes with the order of the gaps.
  double operator()(double joint, std::uint64_t occurrences, double given, const Shares& of_given,
                    std::uint64_t rules_of_a) const;

 private:
  RuleSmoothing smoothing_;
  double rules_ = 0;
  std::vector<GoodTuring> good_turing_;  // one or none
  std::array<double, 3> discount_ = {};
};

}  // namespace tunesmith
