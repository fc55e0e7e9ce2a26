// The statistics of a whole corpus along a line of weights: envelopes of all lists, merged (Och 2003, section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "metrics/bleu.hpp"
#include "tuning/losses/distinct_statistics.hpp"
#include "tuning/losses/lists.hpp"

namespace tunesmith {

// The part of a line that may be examined: `low` ≤ step ≤ `high`; intervals narrower than `min_width` are passed
// over, because rounding would decide who wins there.
struct LineRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double min_width = 1e-6;
};

// Between steps breakpoints[i - 1] and breakpoints[i] the candidates of highest score have the summed statistics
// totals[i] (breakpoints.size() + 1 rows of `width`).
struct CorpusEnvelope {
  std::vector<double> breakpoints;
  std::vector<double> totals;
};

struct LineOptimum {
  double step;
  double score;  // BLEU, 0 to 1
};

// The scores of all candidates at step 0, finite, and who wins each list there. Many lines begin in one point.
class LineStart {
 public:
  LineStart(const Lists& lists, std::span<const double> scores, int threads = 1);
  std::span<const double> scores;
  std::vector<std::uint32_t> best;  // from the beginning of each list
};

// `slopes` has one number for each candidate, all finite.
CorpusEnvelope corpus_envelope(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                               std::span<const double> slopes);

// The step of highest BLEU inside the range and that BLEU: the middle of the best interval (the first of equals),
// or a step of 0 where none is wide enough. Statistics are those of BLEU.
LineOptimum best_bleu_on_line(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                              std::span<const double> slopes, const LineRange& range, const BleuOptions& options);

// The middle of an interval that may be open; open ends are passed by a tenth of the distance to 0, at least by
// 0.1.
double inside(double begin, double end);

}  // namespace tunesmith
