#include "bind/tuning_arrays.hpp"
#include "tuning/losses/pair_loss.hpp"
#include "tuning/losses/pair_sampler.hpp"

namespace tunesmith::bind {

void bind_pair_loss(nb::module_& m) {
  nb::enum_<PairLossKind>(m, "PairLossKind", "The loss of a margin.")
      .value("logistic", PairLossKind::logistic)
      .value("hinge", PairLossKind::hinge);
  m.def(
      "sample_pairs",
      [](const Integers& offsets, const Doubles& gains, const Doubles& lengths, std::uint32_t draws,
         std::uint32_t keep, double min_gain, bool largest_first, double max_gain, double max_length_difference,
         double outliers, std::uint64_t seed, int threads) {
        Pairs pairs;
        without_gil([&] {
          const Lists lists(span_of(offsets), gains.size());
          pairs = sample_pairs(lists, span_of(gains), span_of(lengths),
                               {draws, keep, min_gain, largest_first, max_gain, max_length_difference, outliers},
                               seed, threads);
        });
        return array_tuple(std::move(pairs.better), std::move(pairs.worse));
      },
      "offsets"_a, "gains"_a, "lengths"_a, "draws"_a, "keep"_a, "min_gain"_a, "largest_first"_a, "max_gain"_a,
      "max_length_difference"_a, "outliers"_a, "seed"_a, "threads"_a = 1,
      "Candidates (better, worse) sampled as in pairwise ranking, by sentence.");
  nb::class_<PairLoss>(m, "PairLoss", "The mean loss of pairs of candidates and its gradient.")
      .def(
          "__init__",
          [](PairLoss* self, const HeldLists& lists, const Integers& better, const Integers& worse,
             const Doubles& weights, PairLossKind kind, double smoothing) {
            new (self) PairLoss(lists.lists.matrix, lists_of(lists), span_of(better), span_of(worse),
                                span_of(weights), kind, smoothing);
          },
          "lists"_a, "better"_a, "worse"_a, "weights"_a, "kind"_a, "smoothing"_a, nb::keep_alive<1, 2>())
      .def("__len__", &PairLoss::size)
      .def(
          "value_and_gradient",
          [](const PairLoss& self, const Doubles& w, int threads) {
            std::vector<double> gradient(w.size());
            double value = without_gil([&] { return self.value_and_gradient(span_of(w), gradient, threads); });
            return std::make_tuple(value, to_array(std::move(gradient)));
          },
          "w"_a, "threads"_a = 1)
      .def_prop_ro("share", &PairLoss::share, "What a sum is multiplied with to be a mean.")
      .def(
          "sums",
          [](const PairLoss& self, const Doubles& w, std::size_t a_block, int threads) {
            std::vector<double> gradient(w.size());
            double value = without_gil([&] { return self.sums(span_of(w), gradient, threads, a_block); });
            return std::make_tuple(value, to_array(std::move(gradient)));
          },
          "w"_a, "a_block"_a = 0, "threads"_a = 1,
          "The sums in place of the means.   a_block: sentences of a block, 0 for what their number says.")
      .def(
          "value_and_slopes",
          [](const PairLoss& self, const Doubles& scores) {
            std::vector<double> slopes(scores.size());
            double value = without_gil([&] { return self.value_and_slopes(span_of(scores), slopes); });
            return std::make_tuple(value, to_array(std::move(slopes)));
          },
          "scores"_a, "The sum of the losses for these scores of candidates, and its derivatives by them.")
      .def(
          "mean_squares",
          [](const PairLoss& self, std::size_t columns, int threads) {
            std::vector<double> squares(columns);
            without_gil([&] { self.mean_squares(squares, threads); });
            return to_array(std::move(squares));
          },
          "columns"_a, "threads"_a = 1);
}

}  // namespace tunesmith::bind
