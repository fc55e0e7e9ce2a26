// The hypotheses that cover equally many words, while they are found, and grouped when they are complete.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/chart.hpp"
#include "decoding/phrase/coverage.hpp"
#include "decoding/recombination.hpp"

namespace tunesmith {

// Hypotheses of one coverage whose last phrase ends at one place, best first: they can go on with the same phrases
// at the same distance.
struct PhraseGroup {
  CoverageId coverage;
  std::uint32_t last_end;
  Cell hypotheses;
};

// One stack after the other; keeps its memory in between.
class PhraseStack {
 public:
  explicit PhraseStack(const EdgeScorer& scorer) : scorer_(scorer) {}

  void start(Chart& chart, std::size_t expected);
  // Takes in a scored edge to a hypothesis with this coverage, where `future` is what its gaps are expected to
  // score. `state` is the last piece taken from the chart's arena; whether it is needed is returned.
  bool add(const ChartEdge& edge, const float* dense, const std::byte* state, CoverageId coverage, float future);
  // Leaves the `limit` best by score and future, and appends their groups. The others stay in the chart, behind
  // them, but are never extended.
  void finish(std::size_t limit, std::vector<PhraseGroup>& groups);

 private:
  // What the search adds to a hypothesis of the chart.
  struct Place {
    CoverageId coverage;
    std::uint32_t last_end;
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
