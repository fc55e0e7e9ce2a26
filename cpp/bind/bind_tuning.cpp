#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>

#include "bind/convert.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/losses/best_candidates.hpp"
#include "tuning/losses/corpus_envelope.hpp"
#include "tuning/losses/hope_fear.hpp"
#include "tuning/losses/pair_loss.hpp"
#include "tuning/losses/pair_sampler.hpp"
#include "tuning/losses/random.hpp"
#include "tuning/online/magnitude_ranks.hpp"
#include "tuning/sorted_l1/sorted_l1.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Distinct statistics with the offsets they belong to.
struct HeldStatistics {
  template <class T>
  HeldStatistics(const Integers& given, const Table<T>& table, int threads)
      : offsets(given.data(), given.data() + given.size()),
        statistics(Lists(offsets, table.shape(0)), table.data(), table.shape(1), threads) {}

  Lists lists() const { return {offsets, statistics.rows()}; }
  void check_lines(std::size_t scores, std::size_t slopes) const {
    if (scores != statistics.rows() || slopes != statistics.rows())
      throw Error("there must be one score and one slope for each of " + std::to_string(statistics.rows()) +
                  " candidates");
  }
  void check_bleu() const {
    if (statistics.width() < 4 || statistics.width() % 2 != 0)
      throw Error("rows of 2 + 2 × order statistics were expected");
  }

  std::vector<std::int64_t> offsets;
  DistinctStatistics statistics;
};

nb::tuple best_bleu_on_lines(const HeldStatistics& self, const Doubles& scores, const Table<double>& slopes,
                             const Doubles& low, const Doubles& high, double min_width, Smoothing smoothing,
                             double value, int threads) {
  self.check_bleu();
  self.check_lines(scores.size(), slopes.shape(1));
  const std::size_t lines = slopes.shape(0);
  if (low.size() != lines || high.size() != lines) throw Error("there must be one range for each line");
  std::vector<double> steps(lines), best(lines);
  {
    nb::gil_scoped_release release;
    check_finite({scores.data(), scores.size()}, "scores");
    check_finite({slopes.data(), slopes.size()}, "slopes");
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
  }
  return nb::make_tuple(to_array(std::move(steps)), to_array(std::move(best)));
}

// One round's MIRA: how hope and fear are chosen, and by which gains.
class HeldHopeFear {
 public:
  HeldHopeFear(const HeldLists& lists, Hope hope, Fear fear, const HeldStatistics& statistics,
               const PseudoCorpusOptions& options)
      : HeldHopeFear(lists, hope, fear) {
    statistics.check_bleu();
    if (statistics.statistics.rows() != lists_.rows() || statistics.statistics.sentences() != lists_.size())
      throw Error("the statistics do not belong to the candidates");
    gains_ = std::make_unique<PseudoCorpusGains>(lists_, statistics.statistics, options);
  }
  HeldHopeFear(const HeldLists& lists, Hope hope, Fear fear, const Doubles& gains)
      : HeldHopeFear(lists, hope, fear) {
    fixed_.assign(gains.data(), gains.data() + gains.size());
    gains_ = std::make_unique<FixedGains>(lists_, fixed_);
  }

  std::vector<double> background() const { return gains_->background(); }

  nb::tuple run_pass(const Changed& weights, const Changed& drift, const Changed& background, std::uint64_t steps,
                     const Order& order, double step_cap, const Doubles& lower, const Doubles& upper) {
    const std::size_t columns = matrix_.columns();
    if (weights.size() != columns || drift.size() != columns)
      throw Error("there must be as many weights as features, " + std::to_string(columns));
    if (lower.size() != upper.size() || (lower.size() != 0 && lower.size() != columns))
      throw Error("there must be a lower and an upper bound for each weight, or none");
    if (const std::size_t counts = gains_->background().size(); background.size() != counts)
      throw Error("the pseudo-corpus must have " + std::to_string(counts) + " counts");
    PassState state{
        {weights.data(), columns}, {drift.data(), columns}, {background.data(), background.size()}, steps};
    PassResult result;
    {
      nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      check_finite({weights.data(), columns}, "weights");
      check_finite({background.data(), background.size()}, "counts of the pseudo-corpus");
      for (std::size_t i = 0; i < lower.size(); ++i)
        if (!(lower(i) <= upper(i))) throw Error("a lower bound must not be above the upper one");
      for (std::size_t i = 0; i < order.size(); ++i)
        if (order(i) >= lists_.size()) throw Error("there is no sentence " + std::to_string(order(i)));
      result = hope_fear_pass(matrix_, lists_, *gains_, {order.data(), order.size()}, {step_cap, hope_, fear_},
                              {span_of(lower), span_of(upper)}, state);
    }
    return nb::make_tuple(state.steps, result.updates, result.loss);
  }

 private:
  HeldHopeFear(const HeldLists& lists, Hope hope, Fear fear)
      : matrix_(lists.lists.matrix),
        offsets_(lists.lists.offsets.begin(), lists.lists.offsets.end()),
        lists_(offsets_, matrix_.rows()),
        hope_(hope),
        fear_(fear) {}

  const CandidateMatrix& matrix_;
  std::vector<std::int64_t> offsets_;
  Lists lists_;
  Hope hope_;
  Fear fear_;
  std::vector<double> fixed_;
  std::unique_ptr<Gains> gains_;
  std::mutex mutex_;
};

template <class T>
void def_statistics(nb::class_<HeldStatistics>& statistics) {
  statistics.def(nb::init<const Integers&, const Table<T>&, int>(), "offsets"_a, "statistics"_a, "threads"_a = 1);
}

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
            CorpusEnvelope envelope;
            {
              nb::gil_scoped_release release;
              check_finite({scores.data(), scores.size()}, "scores");
              check_finite({slopes.data(), slopes.size()}, "slopes");
              const Lists lists = self.lists();
              envelope =
                  corpus_envelope(lists, self.statistics, LineStart(lists, span_of(scores)), span_of(slopes));
            }
            return nb::make_tuple(to_array(std::move(envelope.breakpoints)),
                                  to_array(std::move(envelope.totals), self.statistics.width()));
          },
          "scores"_a, "slopes"_a,
          nb::sig("def envelope(self, scores: numpy.typing.NDArray[numpy.float64], slopes: "
                  "numpy.typing.NDArray[numpy.float64]) -> tuple[typing.Any, typing.Any]"),
          "Breakpoints along scores + step · slopes, and the summed statistics of the winners between them.")
      .def("best_bleu_on_lines", &best_bleu_on_lines, "scores"_a, "slopes"_a, "low"_a, "high"_a, "min_width"_a,
           "smoothing"_a, "value"_a, "threads"_a = 1,
           nb::sig("def best_bleu_on_lines(self, scores: numpy.typing.NDArray[numpy.float64], slopes: "
                   "numpy.typing.NDArray[numpy.float64], low: numpy.typing.NDArray[numpy.float64], high: "
                   "numpy.typing.NDArray[numpy.float64], min_width: float, smoothing: Smoothing, value: float, "
                   "threads: int = 1) -> tuple[typing.Any, typing.Any]"),
           "For each row of slopes the step of highest corpus BLEU between low and high, and that BLEU (0 to 1).");
  m.def(
      "best_candidates",
      [](const HeldLists& lists, const Doubles& w, int threads) {
        std::vector<std::int64_t> best(lists.lists.sentences());
        {
          nb::gil_scoped_release release;
          best_candidates(lists.lists.matrix, lists_of(lists), span_of(w), best, threads);
        }
        return to_array(std::move(best));
      },
      "lists"_a, "w"_a, "threads"_a = 1,
      "The candidate of highest score of each sentence (the first of equals), -1 for a sentence without any.");
}

void bind_mira(nb::module_& m) {
  nb::enum_<Hope>(m, "Hope", "Which candidate a step goes towards.")
      .value("model_and_gain", Hope::model_and_gain)
      .value("gain", Hope::gain);
  nb::enum_<Fear>(m, "Fear", "Which candidate a step goes away from.")
      .value("model_without_gain", Fear::model_without_gain)
      .value("model", Fear::model);
  nb::class_<HeldHopeFear>(m, "HopeFear", "Passes of hope-and-fear MIRA over candidate lists.")
      .def(
          "__init__",
          [](HeldHopeFear* self, const HeldLists& lists, Hope hope, Fear fear, const HeldStatistics& statistics,
             double decay, double start, bool scale_by_length) {
            new (self) HeldHopeFear(lists, hope, fear, statistics, {decay, start, scale_by_length});
          },
          "lists"_a, "hope"_a, "fear"_a, "statistics"_a, "decay"_a, "start"_a, "scale_by_length"_a,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>())
      .def(nb::init<const HeldLists&, Hope, Fear, const Doubles&>(), "lists"_a, "hope"_a, "fear"_a, "gains"_a,
           nb::keep_alive<1, 2>())
      .def(
          "background", [](const HeldHopeFear& self) { return to_array(self.background()); },
          "The pseudo-corpus before the first pass; empty for given gains.")
      .def("run_pass", &HeldHopeFear::run_pass, "weights"_a, "drift"_a, "background"_a, "steps"_a, "order"_a,
           "step_cap"_a, "lower"_a, "upper"_a,
           nb::sig("def run_pass(self, weights: numpy.typing.NDArray[numpy.float64], drift: "
                   "numpy.typing.NDArray[numpy.float64], background: numpy.typing.NDArray[numpy.float64], steps: "
                   "int, order: numpy.typing.NDArray[numpy.uint32], step_cap: float, lower: "
                   "numpy.typing.NDArray[numpy.float64], upper: "
                   "numpy.typing.NDArray[numpy.float64]) -> tuple[int, int, float]"),
           "One pass over the sentences of `order`; changes `weights`, `drift` and `background`. Gives the steps "
           "made so far, the updates and the sum of losses. The average of all weights so far is weights - drift "
           "/ steps.");
  m.def(
      "shuffled",
      [](std::size_t size, std::uint64_t seed, std::uint64_t index) {
        std::vector<std::uint32_t> order(size);
        std::iota(order.begin(), order.end(), 0U);
        Random random(seed, index);
        shuffle(std::span(order), random);
        return to_array(std::move(order));
      },
      "size"_a, "seed"_a, "index"_a, "The numbers below `size` in a random order that depends on seed and index.");
}

void bind_smooth(nb::module_& m) {
  nb::enum_<PairLossKind>(m, "PairLossKind", "The loss of a margin.")
      .value("logistic", PairLossKind::logistic)
      .value("hinge", PairLossKind::hinge);
  m.def(
      "sample_pairs",
      [](const Integers& offsets, const Doubles& gains, const Doubles& lengths, std::uint32_t draws,
         std::uint32_t keep, double min_gain, bool largest_first, double max_gain, double max_length_difference,
         double outliers, std::uint64_t seed, int threads) {
        Pairs pairs;
        {
          nb::gil_scoped_release release;
          const Lists lists({offsets.data(), offsets.size()}, gains.size());
          pairs = sample_pairs(lists, span_of(gains), span_of(lengths),
                               {draws, keep, min_gain, largest_first, max_gain, max_length_difference, outliers},
                               seed, threads);
        }
        return nb::make_tuple(to_array(std::move(pairs.better)), to_array(std::move(pairs.worse)));
      },
      "offsets"_a, "gains"_a, "lengths"_a, "draws"_a, "keep"_a, "min_gain"_a, "largest_first"_a, "max_gain"_a,
      "max_length_difference"_a, "outliers"_a, "seed"_a, "threads"_a = 1,
      nb::sig(
          "def sample_pairs(offsets: numpy.typing.NDArray[numpy.int64], gains: "
          "numpy.typing.NDArray[numpy.float64], lengths: numpy.typing.NDArray[numpy.float64], draws: int, keep: "
          "int, min_gain: float, largest_first: bool, max_gain: float, max_length_difference: float, outliers: "
          "float, seed: int, threads: int = 1) -> tuple[typing.Any, typing.Any]"),
      "Candidates (better, worse) sampled as in pairwise ranking, by sentence.");
  nb::class_<PairLoss>(m, "PairLoss", "The mean loss of pairs of candidates and its gradient.")
      .def(
          "__init__",
          [](PairLoss* self, const HeldLists& lists, const Integers& better, const Integers& worse,
             const Doubles& weights, PairLossKind kind, double smoothing) {
            new (self) PairLoss(lists.lists.matrix, lists_of(lists), {better.data(), better.size()},
                                {worse.data(), worse.size()}, span_of(weights), kind, smoothing);
          },
          "lists"_a, "better"_a, "worse"_a, "weights"_a, "kind"_a, "smoothing"_a, nb::keep_alive<1, 2>())
      .def("__len__", &PairLoss::size)
      .def(
          "value_and_gradient",
          [](const PairLoss& self, const Doubles& w, int threads) {
            std::vector<double> gradient(w.size());
            double value = 0;
            {
              nb::gil_scoped_release release;
              value = self.value_and_gradient(span_of(w), gradient, threads);
            }
            return nb::make_tuple(value, to_array(std::move(gradient)));
          },
          "w"_a, "threads"_a = 1,
          nb::sig("def value_and_gradient(self, w: numpy.typing.NDArray[numpy.float64], threads: int = 1) -> "
                  "tuple[float, typing.Any]"))
      .def(
          "mean_squares",
          [](const PairLoss& self, std::size_t columns, int threads) {
            std::vector<double> squares(columns);
            {
              nb::gil_scoped_release release;
              self.mean_squares(squares, threads);
            }
            return to_array(std::move(squares));
          },
          "columns"_a, "threads"_a = 1,
          nb::sig("def mean_squares(self, columns: int, threads: int = 1) -> typing.Any"));
}

// `prox(out)` into a new array.
template <class Prox>
nb::ndarray<nb::numpy, double, nb::ndim<1>> proximal_values(std::size_t size, const Prox& prox) {
  Scratch<double> out = make_scratch<double>(size);
  {
    nb::gil_scoped_release release;
    prox(std::span(out.get(), size));
  }
  return to_array(std::move(out), size);
}
// The same for sparse weights.
template <class Prox>
nb::ndarray<nb::numpy, double, nb::ndim<1>> proximal_values(const Integers& indices, std::size_t dimension,
                                                            const Doubles& values, const Prox& prox) {
  if (indices.size() != values.size()) throw Error("there must be as many indices as values");
  return proximal_values(values.size(), [&](std::span<double> out) {
    check_indices({indices.data(), indices.size()}, dimension);
    prox(out);
  });
}

void bind_sorted_l1(nb::module_& m) {
  m.def(
      "prox_sorted_l1",
      [](const Doubles& w, const Doubles& penalties, double step) {
        return proximal_values(
            w.size(), [&](std::span<double> out) { prox_sorted_l1(span_of(w), span_of(penalties), step, out); });
      },
      "w"_a, "penalties"_a, "step"_a, "The proximal point of `step` times the sorted L1 norm at `w`.");
  m.def(
      "prox_oscar",
      [](const Doubles& w, std::size_t dimension, double l1, double l2, double step) {
        return proximal_values(
            w.size(), [&](std::span<double> out) { prox_oscar(span_of(w), {dimension, l1, l2}, step, out); });
      },
      "w"_a, "dimension"_a, "l1"_a, "l2"_a, "step"_a, "The proximal point of `step` times OSCAR at `w`.");
  m.def(
      "sparse_prox_sorted_l1",
      [](const Integers& indices, const Doubles& values, std::size_t dimension, const Doubles& penalties,
         double step) {
        return proximal_values(indices, dimension, values, [&](std::span<double> out) {
          prox_sorted_l1(span_of(values), span_of(penalties), step, out);
        });
      },
      "indices"_a, "values"_a, "dimension"_a, "penalties"_a, "step"_a,
      "The proximal point of the sorted L1 norm at sparse weights; the indices must differ and be below "
      "`dimension`.");
  m.def(
      "sparse_prox_oscar",
      [](const Integers& indices, const Doubles& values, std::size_t dimension, double l1, double l2,
         double step) {
        return proximal_values(indices, dimension, values, [&](std::span<double> out) {
          prox_oscar(span_of(values), {dimension, l1, l2}, step, out);
        });
      },
      "indices"_a, "values"_a, "dimension"_a, "l1"_a, "l2"_a, "step"_a,
      "The proximal point of OSCAR at sparse weights; the indices must differ and be below `dimension`.");
  m.def(
      "equal_groups",
      [](const Doubles& w) {
        EqualGroups groups;
        {
          nb::gil_scoped_release release;
          groups = equal_groups(span_of(w));
        }
        return nb::make_tuple(to_array(std::move(groups.of), w.size()),
                              to_array(std::move(groups.weights), groups.count),
                              to_array(std::move(groups.sizes), groups.count));
      },
      "w"_a,
      nb::sig("def equal_groups(w: numpy.typing.NDArray[numpy.float64]) -> tuple[typing.Any, typing.Any, "
              "typing.Any]"),
      "Equal weights: for each weight the number of its group (-1 for 0), weights and sizes of groups.");
  m.def(
      "oscar_value",
      [](const Doubles& w, std::size_t dimension, double l1, double l2) {
        nb::gil_scoped_release release;
        return oscar_value(span_of(w), {dimension, l1, l2});
      },
      "w"_a, "dimension"_a, "l1"_a, "l2"_a, "OSCAR at `w`.");
  m.def(
      "magnitude_ranks",
      [](const Doubles& w) {
        Scratch<std::uint32_t> found = make_scratch<std::uint32_t>(w.size());
        {
          nb::gil_scoped_release release;
          const MagnitudeRanks ranks(span_of(w), -1.0, "weight");
          for (std::size_t i = 0; i < w.size(); ++i) found[i] = ranks.rank(i);
        }
        return to_array(std::move(found), w.size());
      },
      "w"_a, "For each number, how many have a larger magnitude.");
}

}  // namespace

void bind_tuning(nb::module_& m) {
  bind_mert(m);
  bind_mira(m);
  bind_smooth(m);
  bind_sorted_l1(m);
}

}  // namespace tunesmith::bind
