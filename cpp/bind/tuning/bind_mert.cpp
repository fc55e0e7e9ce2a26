#include <nanobind/stl/vector.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "bind/held_statistics.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/losses/best_candidates.hpp"
#include "tuning/losses/corpus_envelope.hpp"

namespace tunesmith::bind {
namespace {

auto best_bleu_on_lines(const HeldStatistics& self, const Doubles& scores, const Rows<double>& slopes,
                        const Doubles& low, const Doubles& high, double min_width, Smoothing smoothing,
                        double value, int threads) {
  self.check_bleu();
  self.check_lines(scores.size(), slopes.shape(1));
  const std::size_t lines = slopes.shape(0);
  if (low.size() != lines || high.size() != lines) throw Error("there must be one range for each line");
  std::vector<double> steps(lines), best(lines);
  without_gil([&] {
    check_finite(span_of(scores), "scores");
    const Lists lists = self.lists();
    const LineStart start(lists, span_of(scores), threads);
    parallel_each(lines, threads, [&](std::size_t i) {
      const std::span<const double> line(slopes.data() + i * slopes.shape(1), slopes.shape(1));
      check_finite(line, "slopes");
      const LineOptimum optimum = best_bleu_on_line(lists, self.statistics, start, line,
                                                    {low(i), high(i), min_width}, {smoothing, value, false});
      steps[i] = optimum.step;
      best[i] = optimum.score;
    });
  });
  return array_tuple(std::move(steps), std::move(best));
}

// out[line] = Σ weights[line, i] · columns[i], over the weights that are not 0 and in their order.
void combine_columns(const std::vector<Doubles>& columns, const Rows<double>& weights, const ChangedRows& out,
                     int threads) {
  const std::size_t lines = out.shape(0), rows = out.shape(1);
  if (weights.shape(0) != lines || weights.shape(1) != columns.size())
    throw Error("there must be a weight for each line and column");
  for (const Doubles& column : columns)
    if (column.size() != rows) throw Error("columns and lines must be of one length");
  constexpr std::size_t block = 4096;  // of a line and its columns, in the nearest cache
  without_gil([&] {
    parallel_each((rows + block - 1) / block, threads, [&](std::size_t number) {
      const std::size_t begin = number * block, end = std::min(rows, begin + block);
      for (std::size_t line = 0; line < lines; ++line) {
        double* const to = out.data() + line * rows;
        bool first = true;
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const double weight = weights(line, i);
          if (weight == 0) continue;
          const double* const column = columns[i].data();
          if (first)
            for (std::size_t at = begin; at < end; ++at) to[at] = weight * column[at];
          else
            for (std::size_t at = begin; at < end; ++at) to[at] += weight * column[at];
          first = false;
        }
        if (first) std::fill(to + begin, to + end, 0.0);
      }
    });
  });
}

template <class T>
void def_statistics(nb::class_<HeldStatistics>& statistics) {
  statistics.def(nb::init<const Integers&, const Rows<T>&, int>(), "offsets"_a, "statistics"_a, "threads"_a = 1);
}

}  // namespace

void bind_mert(nb::module_& m) {
  nb::class_<HeldStatistics> statistics(
      m, "DistinctStatistics", "Statistics of a metric for candidate lists, equal rows of a sentence once.");
  def_statistics<std::int32_t>(statistics);
  def_statistics<double>(statistics);
  statistics
      .def_prop_ro("distinct",
                   [](const HeldStatistics& self) { return self.statistics.first(self.lists().size()); })
      .def(
          "envelope",
          [](const HeldStatistics& self, const Doubles& scores, const Doubles& slopes) {
            self.check_lines(scores.size(), slopes.size());
            CorpusEnvelope envelope = without_gil([&] {
              check_finite(span_of(scores), "scores");
              check_finite(span_of(slopes), "slopes");
              const Lists lists = self.lists();
              return corpus_envelope(lists, self.statistics, LineStart(lists, span_of(scores)), span_of(slopes));
            });
            const std::size_t width = self.statistics.width(), rows = envelope.totals.size() / width;
            return std::make_tuple(to_array(std::move(envelope.breakpoints)),
                                   to_rows(std::move(envelope.totals), rows, width));
          },
          "scores"_a, "slopes"_a,
          "Breakpoints along scores + step · slopes, and the summed statistics of the winners between them.")
      .def("best_bleu_on_lines", &best_bleu_on_lines, "scores"_a, "slopes"_a, "low"_a, "high"_a, "min_width"_a,
           "smoothing"_a, "value"_a, "threads"_a = 1,
           "For each row of slopes the step of highest corpus BLEU between low and high, and that BLEU (0 to 1).");
  m.def("combine_columns", &combine_columns, "columns"_a, "weights"_a, "out"_a, "threads"_a = 1,
        "Writes the sums of weighted columns to the rows of out, one for each row of weights.");
  m.def(
      "best_candidates",
      [](const HeldLists& lists, const Doubles& w, int threads) {
        std::vector<std::int64_t> best(lists.lists.sentences());
        without_gil([&] { best_candidates(lists.lists.matrix, lists_of(lists), span_of(w), best, threads); });
        return to_array(std::move(best));
      },
      "lists"_a, "w"_a, "threads"_a = 1,
      "The candidate of highest score of each sentence (the first of equals), -1 for a sentence without any.");
}

}  // namespace tunesmith::bind
