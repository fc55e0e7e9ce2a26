
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
    check_finite(span_of(slopes), "slopes");
    const Lists lists = self.lists();
    const LineStart start(lists, span_of(scores));
    parallel_ranges(lines, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const LineOptimum optimum = best_bleu_on_line(lists, self.statistics, start,
                                                      {slopes.data() + i * slopes.shape(1), slopes.shape(1)},
                                                      {low(i), high(i), min_width}, {smoothing, value, false});
        steps[i] = optimum.step;
        best[i] = optimum.score;
      }
    });
  });
  return array_tuple(std::move(steps), std::move(best));
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
