// BLEU of a translation inside the pseudo-corpus, exactly and to first order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/ngram_statistics.hpp"
#include "search/graphs/reference_matches.hpp"
#include "tuning/losses/hope_fear.hpp"

namespace tunesmith {

// A first-order gain: so much for each word, so much for each match of an order.
struct LinearGain {
  double per_word = 0;
  std::vector<double> per_match;
};

// The gains of translations of one sentence, as PseudoCorpusGains computes them for lists.
class GraphGains {
 public:
  GraphGains(const std::vector<std::vector<std::int32_t>>& references, int order, LengthRule length);

  // Statistics: words, reference length, clipped matches, n-grams.
  void statistics(std::span<const std::int32_t> words, std::vector<double>& row);
  // BLEU(background + row), times the reference length of both if the options say so.
  static double gain(std::span<const double> row, std::span<const double> background,
                     const PseudoCorpusOptions& options);
  // Slopes of the gain at a row.
  static LinearGain slopes(std::span<const double> row, std::span<const double> background,
                           const PseudoCorpusOptions& options);
  // What a good translation would have (Tromble et al. 2008).
  std::vector<double> good_row() const;

 private:
  ReferenceMatches matches_;
  LengthRule length_;
};

}  // namespace tunesmith
