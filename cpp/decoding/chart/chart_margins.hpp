// Which edges of a chart the best derivations are made of.
#pragma once

#include <limits>
#include <vector>

#include "decoding/chart/chart.hpp"

namespace tunesmith {

// For each hypothesis the best that the rest of the sentence can add, so that an edge is known by the best
// derivation it is part of.
struct ChartMargins {
  std::vector<double> outside;  // -∞ where the goal is not reached; empty: every edge is wanted
  double least = -std::numeric_limits<double>::infinity();   // edges of no better derivation are left out
  double covers = -std::numeric_limits<double>::infinity();  // all derivations that score at least this are in

  bool wants(HypothesisId head, double edge_score) const {
    return outside.empty() || outside[head] + edge_score >= least;
  }
};

// Leaves enough edges for all of the `derivations` best derivations. O(edges).
ChartMargins margins(const Chart& chart, std::size_t derivations);

}  // namespace tunesmith
