#include "tuning/losses/corpus_envelope.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "tuning/losses/line_sweep.hpp"
#include "tuning/losses/upper_envelope.hpp"

namespace tunesmith {
namespace {

LineSweep<DistinctStatistics> sweep_of(const Lists& lists, const DistinctStatistics& statistics,
                                       const LineStart& start, std::span<const double> slopes, double low,
                                       double high) {
  LineSweep sweep(statistics, lists.size(), low, high);
  EnvelopeSpace space;
  std::vector<Segment> segments;
  for (std::size_t s = 0; s < lists.size(); ++s) {
    const std::size_t begin = lists.begin(s), length = lists.length(s);
    if (length == 0) continue;
    upper_envelope(start.scores.subspan(begin, length), slopes.subspan(begin, length), start.best[s], low, high,
                   space, segments);
    sweep.add(
        s, segments.size(), [&](std::size_t k) { return segments[k].start; },
        [&](std::size_t k) { return statistics.row_of(begin + segments[k].index); });
  }
  return sweep;
}

}  // namespace

double quick_bleu(const double* row, int order, const BleuOptions& options) {
  if (order != 4 || options.smoothing == Smoothing::add_k) return bleu(row, order, options);
  const double matches = row[2] * row[3] * row[4] * row[5], totals = row[6] * row[7] * row[8] * row[9];
  if (!(row[5] > 0 && row[4] > 0 && row[3] > 0 && row[2] > 0 && totals > 0)) return bleu(row, order, options);
  const double mean = std::sqrt(std::sqrt(matches / totals));
  return row[0] >= row[1] ? mean : row[0] > 0 ? mean * std::exp(1.0 - row[1] / row[0]) : 0.0;
}

double inside(double begin, double end) {
  if (std::isinf(begin) && std::isinf(end)) return 0;
  if (std::isinf(begin)) return end - std::max(0.1, 0.1 * std::abs(end));
  if (std::isinf(end)) return begin + std::max(0.1, 0.1 * std::abs(begin));
  return begin + (end - begin) / 2;
}

LineStart::LineStart(const Lists& lists, std::span<const double> all_scores, int threads)
    : scores(all_scores), best(lists.size()) {
  parallel_ranges(lists.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      best[s] = first_best(scores.subspan(lists.begin(s), lists.length(s)));
  });
}

CorpusEnvelope corpus_envelope(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                               std::span<const double> slopes) {
  return sweep_of(lists, statistics, start, slopes, -INFINITY, INFINITY).envelope();
}

LineOptimum best_bleu_on_line(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                              std::span<const double> slopes, const LineRange& range, const BleuOptions& options) {
  return sweep_of(lists, statistics, start, slopes, range.low, range.high).best_bleu(range.min_width, options);
}

}  // namespace tunesmith
