// What a translation is worth, exactly and to first order: BLEU inside the pseudo-corpus, or NIST.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/ngram_statistics.hpp"
#include "search/graphs/reference_matches.hpp"
#include "tuning/losses/hope_fear.hpp"

namespace tunesmith {

// What is counted, and what it is worth.
struct GainMeasure {
  int order = 4;
  LengthRule length = LengthRule::closest;
  PseudoCorpusOptions corpus;
  // NIST: information of n-grams. Gains are then NIST of a translation alone, times the factor, as for lists.
  std::shared_ptr<const NgramInformation> information;
  double factor = 1;

  bool is_nist() const { return information != nullptr; }
  // Numbers in a row of statistics.
  std::size_t width() const { return 2 + 2 * static_cast<std::size_t>(order); }
  // The background before the first sentence; empty where gains do not depend on one.
  std::vector<double> background() const { return std::vector<double>(is_nist() ? 0 : width(), corpus.start); }
};

// A first-order gain: so much for each word, so much for each match of an order (for each bit of its information).
struct LinearGain {
  double per_word = 0;
  std::vector<double> per_match;
};

// The gains of translations of one sentence, as PseudoCorpusGains computes them for lists.
class GraphGains {
 public:
  // The measure outlives this.
  GraphGains(const std::vector<std::vector<std::int32_t>>& references, const GainMeasure& measure);

  const GainMeasure& measure() const { return measure_; }
  // Statistics: words, reference length, clipped matches (of NIST: their information), n-grams.
  void statistics(std::span<const std::int32_t> words, std::vector<double>& row);
  // BLEU(background + row), times the reference length of both if the options say so; or NIST(row).
  double gain(std::span<const double> row, std::span<const double> background) const;
  // Slopes of the gain at a row.
  LinearGain slopes(std::span<const double> row, std::span<const double> background) const;
  // What a good translation would have (Tromble et al. 2008).
  std::vector<double> good_row() const;

 private:
  const GainMeasure& measure_;
  ReferenceMatches matches_;
  std::vector<double> row_of_reference_;  // NIST: the statistics of the first one
};

}  // namespace tunesmith
