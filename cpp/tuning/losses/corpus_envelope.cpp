#include "tuning/losses/corpus_envelope.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tuning/losses/upper_envelope.hpp"

namespace tunesmith {
namespace {

// At `step` a sentence goes from one of its distinct rows of statistics to another.
struct Change {
  double step;
  std::uint32_t sentence, from, to;
};

// Starts with the statistics at step `low` in `totals`; changes ascend by step, those of one step by sentence.
std::vector<Change> changes_along(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                                  std::span<const double> slopes, double low, double high,
                                  std::span<double> totals) {
  std::vector<Change> changes;
  changes.reserve(8 * lists.size());
  EnvelopeSpace space;
  std::vector<Segment> segments;
  for (std::size_t s = 0; s < lists.size(); ++s) {
    const std::size_t begin = lists.begin(s), length = lists.length(s);
    if (length == 0) continue;
    upper_envelope(start.scores.subspan(begin, length), slopes.subspan(begin, length), start.best[s], low, high,
                   space, segments);
    std::size_t k = 1;
    while (k < segments.size() && segments[k].start <= low) ++k;
    std::uint32_t row = statistics.row_of(begin + segments[k - 1].index);
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += statistics.column(s, i)[row];
    for (; k < segments.size() && segments[k].start < high; ++k) {
      const std::uint32_t next = statistics.row_of(begin + segments[k].index);
      if (next == row) continue;
      changes.push_back({segments[k].start, static_cast<std::uint32_t>(s), row, next});
      row = next;
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.step != b.step ? a.step < b.step : a.sentence < b.sentence;
  });
  return changes;
}

void apply(const Change& change, const DistinctStatistics& statistics, std::span<double> totals) {
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const double* column = statistics.column(change.sentence, i);
    totals[i] += column[change.to] - column[change.from];
  }
}

// Equal to `bleu` but for rounding, without logarithms for the usual order where all counts are positive.
double quick_bleu(const double* row, int order, const BleuOptions& options) {
  if (order != 4 || options.smoothing == Smoothing::add_k) return bleu(row, order, options);
  const double matches = row[2] * row[3] * row[4] * row[5], totals = row[6] * row[7] * row[8] * row[9];
  if (!(row[5] > 0 && row[4] > 0 && row[3] > 0 && row[2] > 0 && totals > 0)) return bleu(row, order, options);
  const double mean = std::sqrt(std::sqrt(matches / totals));
  return row[0] >= row[1] ? mean : row[0] > 0 ? mean * std::exp(1.0 - row[1] / row[0]) : 0.0;
}

}  // namespace

double inside(double begin, double end) {
  if (std::isinf(begin) && std::isinf(end)) return 0;
  if (std::isinf(begin)) return end - std::max(0.1, 0.1 * std::abs(end));
  if (std::isinf(end)) return begin + std::max(0.1, 0.1 * std::abs(begin));
  return begin + (end - begin) / 2;
}

LineStart::LineStart(const Lists& lists, std::span<const double> all_scores)
    : scores(all_scores), best(lists.size()) {
  for (std::size_t s = 0; s < lists.size(); ++s)
    best[s] = first_best(scores.subspan(lists.begin(s), lists.length(s)));
}

CorpusEnvelope corpus_envelope(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                               std::span<const double> slopes) {
  const std::size_t width = statistics.width();
  std::vector<double> totals(width);
  const std::vector<Change> changes = changes_along(lists, statistics, start, slopes, -INFINITY, INFINITY, totals);
  CorpusEnvelope envelope;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i == 0 || changes[i].step != changes[i - 1].step) {
      envelope.breakpoints.push_back(changes[i].step);
      envelope.totals.insert(envelope.totals.end(), totals.begin(), totals.end());
    }
    apply(changes[i], statistics, totals);
  }
  envelope.totals.insert(envelope.totals.end(), totals.begin(), totals.end());
  return envelope;
}

LineOptimum best_bleu_on_line(const Lists& lists, const DistinctStatistics& statistics, const LineStart& start,
                              std::span<const double> slopes, const LineRange& range, const BleuOptions& options) {
  const std::size_t width = statistics.width();
  const int order = static_cast<int>(width / 2) - 1;
  std::vector<double> totals(width);
  const std::vector<Change> changes =
      changes_along(lists, statistics, start, slopes, range.low, range.high, totals);
  LineOptimum best{0, -1};
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    const double begin = std::max(range.low, i == 0 ? -INFINITY : changes[i - 1].step);
    const double end = std::min(range.high, i == changes.size() ? INFINITY : changes[i].step);
    if (end - begin > range.min_width) {
      const double score = quick_bleu(totals.data(), order, options);
      if (score > best.score) best = {inside(begin, end), score};
    }
    if (i < changes.size()) apply(changes[i], statistics, totals);
  }
  return best;
}

}  // namespace tunesmith
