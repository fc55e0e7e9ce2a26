// The statistics of a corpus along a line, once it is known which row of statistics each sentence has where.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/bleu.hpp"
#include "tuning/losses/corpus_envelope.hpp"

namespace tunesmith {

// Equal to `bleu` but for rounding, without logarithms for the usual order where all counts are positive.
double quick_bleu(const double* row, int order, const BleuOptions& options);

// Statistics has width() and value(sentence, i, row): number i of a distinct row of a sentence.
template <class Statistics>
class LineSweep {
 public:
  LineSweep(const Statistics& statistics, std::size_t sentences, double low, double high)
      : statistics_(statistics), low_(low), high_(high), totals_(statistics.width()) {
    changes_.reserve(8 * sentences);
  }

  // A sentence has row row_of(k) from step start(k) on; starts ascend, the first is -∞. Sentences ascend.
  template <class Start, class RowOf>
  void add(std::size_t sentence, std::size_t segments, Start start, RowOf row_of) {
    std::size_t k = 1;
    while (k < segments && start(k) <= low_) ++k;
    std::uint32_t row = row_of(k - 1);
    for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += statistics_.value(sentence, i, row);
    for (; k < segments && start(k) < high_; ++k) {
      const std::uint32_t next = row_of(k);
      if (next == row) continue;
      changes_.push_back({start(k), static_cast<std::uint32_t>(sentence), row, next});
      row = next;
    }
  }

  CorpusEnvelope envelope() {
    sort();
    CorpusEnvelope envelope;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (i == 0 || changes_[i].step != changes_[i - 1].step) {
        envelope.breakpoints.push_back(changes_[i].step);
        envelope.totals.insert(envelope.totals.end(), totals_.begin(), totals_.end());
      }
      apply(changes_[i]);
    }
    envelope.totals.insert(envelope.totals.end(), totals_.begin(), totals_.end());
    return envelope;
  }

  LineOptimum best_bleu(double min_width, const BleuOptions& options) {
    sort();
    const int order = static_cast<int>(totals_.size() / 2) - 1;
    LineOptimum best{0, -1};
    for (std::size_t i = 0; i <= changes_.size(); ++i) {
      const double begin = std::max(low_, i == 0 ? -INFINITY : changes_[i - 1].step);
      const double end = std::min(high_, i == changes_.size() ? INFINITY : changes_[i].step);
      if (end - begin > min_width) {
        const double score = quick_bleu(totals_.data(), order, options);
        if (score > best.score) best = {inside(begin, end), score};
      }
      if (i < changes_.size()) apply(changes_[i]);
    }
    return best;
  }

 private:
  // At `step` a sentence goes from one of its distinct rows of statistics to another.
  struct Change {
    double step;
    std::uint32_t sentence, from, to;
  };

  void sort() {
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return a.step != b.step ? a.step < b.step : a.sentence < b.sentence;
    });
  }
  void apply(const Change& change) {
    for (std::size_t i = 0; i < totals_.size(); ++i)
      totals_[i] +=
          statistics_.value(change.sentence, i, change.to) - statistics_.value(change.sentence, i, change.from);
  }

  const Statistics& statistics_;
  double low_, high_;
  std::vector<double> totals_;  // at step `low`, then along the line
  std::vector<Change> changes_;
};

}  // namespace tunesmith
