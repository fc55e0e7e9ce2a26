// Pairs of candidates for pairwise ranking (PRO): Hopkins and May (2011), the sampler of Figure 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuning/losses/lists.hpp"

namespace tunesmith {

struct PairOptions {
  std::uint32_t draws = 5000;  // Γ
  std::uint32_t keep = 50;     // Ξ
  double min_gain = 0.05;      // pairs must differ by more than this (the step in α)
  // Largest gain first, as published; otherwise the first that are good enough, that is at random.
  bool largest_first = true;
  // Against monsters (Nakov et al. 2013). Pairs that differ by more than this are not taken:
  double max_gain;               // in gain
  double max_length_difference;  // in words
  // Candidates farther than this many standard deviations from the mean of their list, in gain or in length, take
  // no part.
  double outliers;
};

struct Pairs {
  std::vector<std::int64_t> better, worse;  // candidates, by sentence
};

// `gains` and `lengths` have one number per candidate. Sentence s draws from its own stream (seed, s): the pairs
// of a sentence depend neither on the others nor on the number of threads. A list of one candidate gives none.
Pairs sample_pairs(const Lists& lists, std::span<const double> gains, std::span<const double> lengths,
                   const PairOptions& options, std::uint64_t seed, int threads);

}  // namespace tunesmith
