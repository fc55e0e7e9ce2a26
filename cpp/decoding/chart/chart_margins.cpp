#include "decoding/chart/chart_margins.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "decoding/heap.hpp"

namespace tunesmith {
namespace {

// Scores of the chart are sums of floats, those of lists are sums of doubles: so far they may differ at most. A
// derivation has at most two edges a word in addition to the first and the last, each with about ten roundings of
// half an epsilon. largest: among all that is summed; parts may cancel out, so that sums are smaller than their
// errors.
double rounding(std::size_t words, double largest) {
  return 16.0 * static_cast<double>(words + 2) * static_cast<double>(std::numeric_limits<float>::epsilon()) *
         largest;
}

}  // namespace

// An edge that is not the best one of its hypothesis is the lowest such edge of the best derivation through it. So
// these derivations are all different, and the k-th best of them is no better than the k-th best of all.
ChartMargins margins(const Chart& chart, std::size_t derivations) {
  ChartMargins out;
  if (chart.goal.empty() || derivations == 0) return out;
  const HypothesisId goal = chart.goal.begin;
  out.outside.assign(goal + 1, -std::numeric_limits<double>::infinity());
  out.outside[goal] = 0;
  double largest = 0;
  Heap<double, std::less<>> best;  // the worst of them on top
  best.push(chart.hypotheses[goal].score);
  for (HypothesisId head = goal + 1; head-- > 0;) {
    const double outside = out.outside[head];
    if (std::isinf(outside)) continue;
    const std::uint32_t first = chart.hypotheses[head].edge;
    for (std::uint32_t number = first; number != ChartEdge::none; number = chart.edges[number]->next) {
      const ChartEdge& edge = *chart.edges[number];
      const double whole = outside + static_cast<double>(edge.score);
      const float larger = std::max(std::abs(edge.score), std::abs(edge.option->local));
      largest = std::max(largest, static_cast<double>(larger));
      for (std::uint32_t gap = 0; gap < edge.option->gaps(); ++gap) {
        const HypothesisId tail = edge.tails[gap];
        out.outside[tail] = std::max(out.outside[tail], whole - static_cast<double>(chart.hypotheses[tail].score));
      }
      if (number == first) continue;
      if (best.size() < derivations)
        best.push(whole);
      else if (whole > best.top())
        best.replace_top(whole);
    }
  }
  if (best.size() < derivations) return {};
  const double error = rounding(chart.words(), largest);
  out.covers = best.top() - error;
  out.least = best.top() - 2 * error;
  return out;
}

}  // namespace tunesmith
