#include "tuning/graphs/exact_oracle.hpp"

#include "search/graphs/derivations.hpp"
#include "tuning/graphs/all_derivations.hpp"

namespace tunesmith {

ExactOracle::ExactOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references,
                         const GainMeasure& measure, const TokenNumbers& tokens, std::size_t most)
    : GraphOracle(graph), gains_(references, measure), derivations_(all_derivations(graph, most)) {
  std::vector<std::int32_t> words, counted;
  std::vector<double> row;
  for (std::size_t i = 0; i < derivations_.size(); ++i) {
    words.clear();
    counted.clear();
    append_words(graph, derivations_[i], words);
    tokens.append(words, counted);
    gains_.statistics(counted, row);
    statistics_.insert(statistics_.end(), row.begin(), row.end());
  }
}

ScoredDerivation ExactOracle::find(std::span<const double> scores, double model, double metric,
                                   std::span<const double> background) {
  const std::size_t width = gains_.measure().width();
  ScoredDerivation best;
  double highest = 0;
  std::size_t chosen = derivations_.size();
  for (std::size_t i = 0; i < derivations_.size(); ++i) {
    double score = 0;
    for (const EdgeId edge : derivations_[i]) score += scores[edge];
    const double gain = gains_.gain({statistics_.data() + i * width, width}, background);
    const double objective = model * score + metric * gain;
    const bool equal_gain = model == 0 && objective == highest && score > best.score;
    if (chosen < derivations_.size() && !(objective > highest) && !equal_gain) continue;
    highest = objective;
    chosen = i;
    best.score = score;
    best.gain = gain;
  }
  if (chosen == derivations_.size()) return best;
  best.edges.assign(derivations_[chosen].begin(), derivations_[chosen].end());
  best.statistics.assign(statistics_.data() + chosen * width, statistics_.data() + (chosen + 1) * width);
  return best;
}

}  // namespace tunesmith
