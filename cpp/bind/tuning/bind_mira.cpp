#include <memory>
#include <mutex>
#include <numeric>

#include "bind/held_statistics.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/losses/hope_fear.hpp"
#include "tuning/losses/random.hpp"

namespace tunesmith::bind {
namespace {

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

  auto run_pass(const Changed& weights, const Changed& drift, const Changed& background, std::uint64_t steps,
                const Ids& order, double step_cap, const Doubles& lower, const Doubles& upper) {
    return run(weights, drift, background, steps, order, step_cap, lower, upper, nullptr);
  }

  auto run_online(const Changed& weights, const Changed& drift, const Changed& background, std::uint64_t steps,
                  const Ids& order, double step_cap, const Doubles& lower, const Doubles& upper) {
    std::vector<std::uint32_t> touched;
    const auto result = run(weights, drift, background, steps, order, step_cap, lower, upper, &touched);
    check_touched({weights.data(), weights.size()}, touched);
    return std::tuple_cat(result, std::make_tuple(to_array(std::move(touched))));
  }

 private:
  // touched: for few sentences; then no time is spent on all weights.
  std::tuple<std::uint64_t, std::uint64_t, double> run(const Changed& weights, const Changed& drift,
                                                       const Changed& background, std::uint64_t steps,
                                                       const Ids& order, double step_cap, const Doubles& lower,
                                                       const Doubles& upper, std::vector<std::uint32_t>* touched) {
    const std::size_t columns = matrix_.columns();
    if (weights.size() != columns || drift.size() != columns)
      throw Error("there must be as many weights as features, " + std::to_string(columns));
    if (lower.size() != upper.size() || (lower.size() != 0 && lower.size() != columns))
      throw Error("there must be a lower and an upper bound for each weight, or none");
    if (const std::size_t counts = gains_->background().size(); background.size() != counts)
      throw Error("the pseudo-corpus must have " + std::to_string(counts) + " counts");
    PassState state{{weights.data(), columns}, {drift.data(), columns}, span_of(background), steps, touched};
    PassResult result;
    without_gil([&] {
      const std::lock_guard lock(mutex_);
      if (touched == nullptr) {
        check_finite({weights.data(), columns}, "weights");
        for (std::size_t i = 0; i < lower.size(); ++i)
          if (!(lower(i) <= upper(i))) throw Error("a lower bound must not be above the upper one");
      }
      check_finite(span_of(background), "counts of the pseudo-corpus");
      for (std::size_t i = 0; i < order.size(); ++i)
        if (order(i) >= lists_.size()) throw Error("there is no sentence " + std::to_string(order(i)));
      result = hope_fear_pass(matrix_, lists_, *gains_, span_of(order), {step_cap, hope_, fear_},
                              {span_of(lower), span_of(upper)}, state);
    });
    return {state.steps, result.updates, result.loss};
  }

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

}  // namespace

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
           "One pass over the sentences of `order`; changes `weights`, `drift` and `background`. Gives the steps "
           "made so far, the updates and the sum of losses. The average of all weights so far is weights - drift "
           "/ steps.")
      .def(
          "run_online", &HeldHopeFear::run_online, "weights"_a, "drift"_a, "background"_a, "steps"_a, "order"_a,
          "step_cap"_a, "lower"_a, "upper"_a,
          "The same for few sentences, at a cost that does not depend on the number of weights. Gives in addition "
          "the numbers of the weights that changed, each as often as it did.");
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

}  // namespace tunesmith::bind
