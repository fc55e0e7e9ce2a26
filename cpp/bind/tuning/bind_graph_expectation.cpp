#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <mutex>

#include "bind/interruptible.hpp"
#include "bind/tuning/graph_arguments.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/graphs/graph_expectation.hpp"

namespace tunesmith::bind {
namespace {

using References = std::vector<std::vector<std::vector<std::int32_t>>>;

// Expectations over graphs; one Python thread uses them at a time.
struct HeldGraphExpectation {
  HeldGraphExpectation(Graphs graphs, const RuleFeatures& rules, std::size_t columns, const References& references,
                       int order, std::size_t most, double scale_given, int threads)
      : features(features_of(rules, columns)),
        scale(scale_given),
        sums(without_gil([&] { return GraphExpectation(std::move(graphs), references, order, most, threads); })) {
    if (!std::isfinite(scale)) throw Error("the scale must be a finite number");
  }

  auto evaluate(const Doubles& w, int threads) {
    std::vector<double> rows = without_gil([&] {
      const std::lock_guard lock(mutex);
      check_weights(span_of(w));
      evaluated = false;
      std::vector<double> found = sums.evaluate(features, span_of(w), scale, threads);
      evaluated = true;
      return found;
    });
    return to_array(std::move(rows));
  }

  auto gradient(const Doubles& worth, double entropy, int threads) {
    std::vector<double> out(features.columns());
    without_gil([&] {
      const std::lock_guard lock(mutex);
      check_worth(span_of(worth), entropy);
      if (!evaluated) throw Error("a gradient is that at the weights of the last evaluate()");
      sums.gradient(features, span_of(worth), entropy, scale, out, threads);
    });
    return to_array(std::move(out));
  }

  std::uint64_t descend(const Doubles& worth, double entropy, const Changed& weights, const Ids& order,
                        double rate, double l2, std::uint64_t steps) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex);
    check_weights({weights.data(), weights.size()});
    check_worth(span_of(worth), entropy);
    evaluated = false;
    run_interruptibly([&](const std::atomic<bool>& stop) {
      steps = sums.descend(features, span_of(worth), entropy, scale, span_of(order), {rate, l2}, steps,
                           span_of(weights), stop);
    });
    return steps;
  }

  void check_weights(std::span<const double> w) const {
    if (w.size() != features.columns())
      throw Error(std::to_string(w.size()) + " weights for " + std::to_string(features.columns()) + " features");
    check_finite(w, "weights");
  }
  void check_worth(std::span<const double> worth, double entropy) const {
    if (worth.size() != sums.sentences() * (sums.width() - 1))
      throw Error("there must be a number for the words and for each order of each sentence");
    check_finite(worth, "what words and matches are worth");
    if (!std::isfinite(entropy)) throw Error("what entropy is worth must be a finite number");
  }

  GraphFeatures features;
  double scale;
  GraphExpectation sums;
  bool evaluated = false;
  std::mutex mutex;
};

}  // namespace

void bind_graph_expectation(nb::module_& m) {
  nb::class_<HeldGraphExpectation>(m, "GraphExpectation", "Expected words and matches of search graphs.")
      .def(nb::init<Graphs, const RuleFeatures&, std::size_t, const References&, int, std::size_t, double, int>(),
           "graphs"_a, "rules"_a.none(), "columns"_a, "references"_a, "order"_a, "most"_a, "scale"_a,
           "threads"_a = 1, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro(
          "split_edges", [](const HeldGraphExpectation& self) { return self.sums.split_edges(); },
          "Edges after nodes were split by the words at their borders.")
      .def("evaluate", &HeldGraphExpectation::evaluate, "w"_a, "threads"_a = 1,
           "For each sentence expected words, expected matches of each order, and entropy.")
      .def("gradient", &HeldGraphExpectation::gradient, "worth"_a, "entropy"_a, "threads"_a = 1,
           "The derivatives, at the weights of the last evaluate(), of the sum over sentences of worth · counts + "
           "entropy · H(p).")
      .def("descend", &HeldGraphExpectation::descend, "worth"_a, "entropy"_a, "weights"_a, "order"_a, "rate"_a,
           "l2"_a, "steps"_a,
           "One pass of stochastic gradient steps upwards; changes `weights`, gives the steps so far.");
}

}  // namespace tunesmith::bind
