// The hypotheses that cover equally many source words, while they are found, and grouped when they are complete.
#pragma once

#include <cstdint>
#include <vector>

#include "decoding/chart/chart.hpp"
#include "decoding/chart/recombination.hpp"

namespace tunesmith {

// Hypotheses that can be extended by the same rules at the same places, best first. key: what they have in common
// besides the states of features, such as the words they cover.
struct HypothesisGroup {
  std::uint64_t key;
  Cell hypotheses;
};

// One stack after the other; keeps its memory in between.
class HypothesisStack {
 public:
  explicit HypothesisStack(const EdgeScorer& scorer) : scorer_(scorer) {}

  void start(Chart& chart, std::size_t expected);
  // Takes in a scored edge to a hypothesis of this key, where `future` is what the words that are still to be
  // translated are expected to score. `state` is the last piece taken from the chart's arena; whether it is needed
  // is returned.
  bool add(const ChartEdge& edge, const float* dense, const std::byte* state, std::uint64_t key, float future);
  // Leaves the `limit` best by score and future, and appends their groups. The others stay in the chart, behind
  // them, but are never extended.
  void finish(std::size_t limit, std::vector<HypothesisGroup>& groups);

 private:
  // What the search adds to a hypothesis of the chart.
  struct Place {
    std::uint64_t key;
    float future;
  };
  struct Ranked {
    float priority;
    std::uint32_t number;  // from the first one of the stack
  };

  const EdgeScorer& scorer_;
  Recombination recombination_;
  std::vector<Place> places_;  // of the hypotheses found
  std::vector<Ranked> ranked_;
  std::vector<Hypothesis> sorted_;
};

}  // namespace tunesmith
