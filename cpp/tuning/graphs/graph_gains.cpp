#include "tuning/graphs/graph_gains.hpp"

#include <algorithm>
#include <cmath>

namespace tunesmith {
namespace {

struct Lengths {
  double mine, its;
  double factor(bool by_length) const {
    const double penalty = mine >= its ? 1.0 : mine > 0 ? std::exp(1.0 - its / mine) : 0.0;
    return by_length ? penalty * its : penalty;
  }
};

double bleu(std::span<const double> row, std::span<const double> background, bool by_length) {
  const std::size_t order = row.size() / 2 - 1;
  double matches = 1, totals = 1;  // in the order of PseudoCorpusGains
  for (std::size_t n = 2; n < 2 + order; ++n) {
    matches *= background[n] + row[n];
    totals *= background[n + order] + row[n + order];
  }
  if (!(matches > 0) || !(totals > 0)) return 0;
  const double factor = Lengths{background[0] + row[0], background[1] + row[1]}.factor(by_length);
  return order == 4 ? factor * std::sqrt(std::sqrt(matches / totals))
                    : factor * std::pow(matches / totals, 1.0 / static_cast<double>(order));
}

// Of the length penalty of NIST, which is 1/2 where the output has 2/3 of the words of an average reference.
const double nist_beta = std::log(0.5) / (std::log(1.5) * std::log(1.5));

// Doddington (2002), eq. 3.
struct Nist {
  double information = 0;  // Σ over orders of information / n-grams
  double loss_a_word = 0;  // minus its slope in the number of words, which every order's n-grams grow with
  double penalty = 0, penalty_slope = 0;

  explicit Nist(std::span<const double> row) {
    const std::size_t order = row.size() / 2 - 1;
    for (std::size_t n = 2; n < 2 + order; ++n) {
      const double ngrams = row[n + order];
      if (!(ngrams > 0)) continue;
      information += row[n] / ngrams;
      loss_a_word += row[n] / (ngrams * ngrams);
    }
    if (!(row[0] > 0) || !(row[1] > 0)) return;
    const double log_ratio = std::log(std::min(row[0] / row[1], 1.0));
    penalty = std::exp(nist_beta * log_ratio * log_ratio);
    penalty_slope = penalty * 2 * nist_beta * log_ratio / row[0];
  }
};

}  // namespace

GraphGains::GraphGains(const std::vector<std::vector<std::int32_t>>& references, const GainMeasure& measure)
    : measure_(measure), matches_(references, measure.order, measure.information.get()) {
  if (measure.is_nist()) statistics(references.front(), row_of_reference_);
}

void GraphGains::statistics(std::span<const std::int32_t> words, std::vector<double>& row) {
  const auto order = static_cast<std::size_t>(matches_.order());
  row.assign(measure_.width(), 0.0);
  row[0] = static_cast<double>(words.size());
  row[1] = reference_length(matches_.lengths(), words.size(), measure_.length);
  matches_.match(words, row.data() + 2);
  for (std::size_t n = 0; n < order; ++n)
    row[2 + order + n] = words.size() > n ? static_cast<double>(words.size() - n) : 0.0;
}

double GraphGains::gain(std::span<const double> row, std::span<const double> background) const {
  if (!measure_.is_nist()) return bleu(row, background, measure_.corpus.scale_by_length);
  const Nist found(row);
  return measure_.factor * found.information * found.penalty;
}

LinearGain GraphGains::slopes(std::span<const double> row, std::span<const double> background) const {
  const auto order = static_cast<std::size_t>(measure_.order);
  LinearGain out{0, std::vector<double>(order)};
  if (measure_.is_nist()) {
    const Nist found(row);
    for (std::size_t n = 0; n < order; ++n)
      out.per_match[n] = measure_.factor * found.penalty / std::max(row[2 + order + n], 1.0);
    out.per_word = measure_.factor * (found.penalty_slope * found.information - found.penalty * found.loss_a_word);
    return out;
  }
  // Where nothing matches the gain has no slope: half a match is there.
  std::vector<double> point(row.begin(), row.end());
  for (std::size_t n = 0; n < order; ++n) {
    if (background[2 + n] + point[2 + n] <= 0) point[2 + n] = 0.5;
    if (background[2 + order + n] + point[2 + order + n] <= 0) point[2 + order + n] = 1;
  }
  const Lengths lengths{background[0] + point[0], background[1] + point[1]};
  const double value = gain(point, background), share = value / static_cast<double>(order);
  for (std::size_t n = 0; n < order; ++n) {
    out.per_match[n] = share / (background[2 + n] + point[2 + n]);
    out.per_word -= share / (background[2 + order + n] + point[2 + order + n]);
  }
  if (lengths.mine < lengths.its && lengths.mine > 0)
    out.per_word += value * lengths.its / (lengths.mine * lengths.mine);
  return out;
}

std::vector<double> GraphGains::good_row() const {
  constexpr double precision = 0.8, ratio = 0.75;
  const auto order = static_cast<std::size_t>(matches_.order());
  double length = 0;
  for (const std::uint32_t one : matches_.lengths()) length += one;
  length = std::max(1.0, length / static_cast<double>(matches_.lengths().size()));
  std::vector<double> row(measure_.width(), length);
  for (std::size_t n = 0; n < order; ++n) {
    row[2 + order + n] = std::max(1.0, length - static_cast<double>(n));
    row[2 + n] = row[2 + order + n] * precision * std::pow(ratio, n);
    if (measure_.is_nist())  // as much information in a match as the first reference has
      row[2 + n] *= row_of_reference_[2 + n] / std::max(row_of_reference_[2 + order + n], 1.0);
  }
  return row;
}

}  // namespace tunesmith
