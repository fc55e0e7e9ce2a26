#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>

#include "bind/tuning/graph_arguments.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/graphs/graph_hope_fear.hpp"

namespace tunesmith::bind {
namespace {

using References = std::vector<std::vector<std::vector<std::int32_t>>>;

// One round's MIRA on graphs.
struct HeldGraphPasses {
  HeldGraphPasses(Graphs graphs, const RuleFeatures& rules, std::size_t columns, const References& references,
                  GainMeasure measure, Hope hope, Fear fear, TokenNumbers tokens, bool exact, std::size_t most,
                  int threads)
      : features(features_of(rules, columns)), options{0, hope, fear}, passes(without_gil([&] {
          return GraphPasses(std::move(graphs), references, std::move(measure), std::move(tokens), exact, most,
                             threads);
        })) {}

  auto run_pass(const Changed& weights, const Changed& drift, const Changed& background, std::uint64_t steps,
                const Ids& order, double step_cap, const Doubles& lower, const Doubles& upper, double loss) {
    return run(weights, drift, background, steps, order, step_cap, lower, upper, loss, nullptr);
  }

  auto run_online(const Changed& weights, const Changed& drift, const Changed& background, std::uint64_t steps,
                  const Ids& order, double step_cap, const Doubles& lower, const Doubles& upper) {
    std::vector<std::uint32_t> touched;
    const auto result = run(weights, drift, background, steps, order, step_cap, lower, upper, 0, &touched);
    check_touched({weights.data(), weights.size()}, touched);
    return std::tuple_cat(result, std::make_tuple(to_array(std::move(touched))));
  }

  // touched: for few sentences; then no time is spent on all weights.
  std::tuple<std::uint64_t, std::uint64_t, double> run(const Changed& weights, const Changed& drift,
                                                       const Changed& background, std::uint64_t steps,
                                                       const Ids& order, double step_cap, const Doubles& lower,
                                                       const Doubles& upper, double loss,
                                                       std::vector<std::uint32_t>* touched) {
    const std::size_t columns = features.columns();
    if (weights.size() != columns || drift.size() != columns)
      throw Error("there must be as many weights as features, " + std::to_string(columns));
    if (lower.size() != upper.size() || (lower.size() != 0 && lower.size() != columns))
      throw Error("there must be a lower and an upper bound for each weight, or none");
    if (background.size() != passes.background().size())
      throw Error("the pseudo-corpus must have " + std::to_string(passes.background().size()) + " counts");
    PassState state{{weights.data(), columns}, {drift.data(), columns}, span_of(background), steps, touched};
    PassResult result;
    without_gil([&] {
      const std::lock_guard lock(mutex);
      if (touched == nullptr) check_finite({weights.data(), columns}, "weights");
      check_finite(span_of(background), "counts of the pseudo-corpus");
      for (std::size_t i = 0; i < order.size(); ++i)
        if (order(i) >= passes.sentences()) throw Error("there is no sentence " + std::to_string(order(i)));
      PassOptions given = options;
      given.step_cap = step_cap;
      result = passes.run(features, span_of(order), given, {span_of(lower), span_of(upper)}, state, loss);
    });
    return {state.steps, result.updates, result.loss};
  }

  auto visited() const { return visits_of(passes.visited()); }

  auto find(std::size_t sentence, const Doubles& w, double model, double metric, const Doubles& background) {
    if (sentence >= passes.sentences()) throw Error("there is no sentence " + std::to_string(sentence));
    if (w.size() != features.columns() || background.size() != passes.background().size())
      throw Error("there must be a weight for each feature and a count for each statistic");
    ScoredDerivation found;
    without_gil([&] {
      const std::lock_guard lock(mutex);
      found = passes.find(sentence, features, span_of(w), model, metric, span_of(background));
    });
    return std::make_tuple(found.score, found.gain, to_array(std::move(found.edges)),
                           to_array(std::move(found.statistics)));
  }

  GraphFeatures features;
  PassOptions options;
  GraphPasses passes;
  std::mutex mutex;
};

}  // namespace

void bind_graph_updates(nb::module_& m) {
  nb::class_<NgramInformation>(m, "NgramInformation", "Information weights of n-grams of numbered references.")
      .def(nb::init<const References&, int>(), "references"_a, "order"_a)
      .def(
          "of",
          [](const NgramInformation& self, const std::vector<std::int32_t>& ngram) { return self.of(ngram); },
          "ngram"_a, "The weight of an n-gram; 0 where no reference has it.");
  nb::class_<HeldGraphPasses>(m, "GraphHopeFear", "Passes of hope-and-fear MIRA over search graphs.")
      .def(
          "__init__",
          [](HeldGraphPasses* self, Graphs graphs, const RuleFeatures& rules, std::size_t columns,
             const References& references, int order, LengthRule length, Hope hope, Fear fear, double decay,
             double start, bool scale_by_length, std::size_t most, bool exact,
             std::vector<std::uint32_t> token_offsets, std::vector<std::int32_t> tokens,
             std::shared_ptr<const NgramInformation> information, double factor, int threads) {
            GainMeasure measure{order, length, {decay, start, scale_by_length}, std::move(information), factor};
            new (self) HeldGraphPasses(std::move(graphs), rules, columns, references, std::move(measure), hope,
                                       fear, {std::move(token_offsets), std::move(tokens)}, exact, most, threads);
          },
          "graphs"_a, "rules"_a.none(), "columns"_a, "references"_a, "order"_a, "length"_a, "hope"_a, "fear"_a,
          "decay"_a, "start"_a, "scale_by_length"_a, "most"_a, "exact"_a = false,
          "token_offsets"_a = std::vector<std::uint32_t>(), "tokens"_a = std::vector<std::int32_t>(),
          "information"_a = nb::none(), "factor"_a = 1.0, "threads"_a = 1, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(),
          "information: gains are NIST of single translations times the factor, not BLEU in a pseudo-corpus.")
      .def(
          "background", [](const HeldGraphPasses& self) { return to_array(self.passes.background()); },
          "The pseudo-corpus before the first pass.")
      .def("run_pass", &HeldGraphPasses::run_pass, "weights"_a, "drift"_a, "background"_a, "steps"_a, "order"_a,
           "step_cap"_a, "lower"_a, "upper"_a, "loss"_a = 0.0,
           "One pass, as that of HopeFear over lists. loss: what earlier parts of the pass have met.")
      .def("run_online", &HeldGraphPasses::run_online, "weights"_a, "drift"_a, "background"_a, "steps"_a,
           "order"_a, "step_cap"_a, "lower"_a, "upper"_a,
           "The same for few sentences; gives in addition the numbers of the weights that changed.")
      .def("visited", &HeldGraphPasses::visited,
           "Hopes and fears of the last pass: sentences, offsets, edges in pre-order.")
      .def("find", &HeldGraphPasses::find, "sentence"_a, "w"_a, "model"_a, "metric"_a, "background"_a,
           "Score, gain, edges and statistics of the derivation of highest model · score + metric · gain.");
}

}  // namespace tunesmith::bind
