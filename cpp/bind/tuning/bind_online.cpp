#include <mutex>

#include "bind/tuning_arrays.hpp"
#include "tuning/losses/expected_gain.hpp"
#include "tuning/online/adagrad.hpp"
#include "tuning/online/margin_steps.hpp"

namespace tunesmith::bind {
namespace {

// A learner that one Python thread uses at a time.
class HeldAdaGrad {
 public:
  HeldAdaGrad(const AdaGradOptions& options, const AdaGradView& state, WeightLimits limits, std::uint64_t steps,
              std::uint64_t averaged)
      : learner_(options, state, std::move(limits), steps, averaged) {}

  template <class Work>
  auto use(Work work) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    scored_ = 0;
    return work(learner_);
  }
  void score(const HeldLists& lists, std::span<double> out) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    learner_.scores(lists.lists, out);
    scored_ = lists.number;
  }
  void step(const HeldLists& lists, std::span<const double> slopes) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    if (scored_ == lists.number)
      learner_.step_on_scored(lists.lists, slopes);
    else
      learner_.step(lists.lists, slopes);
    scored_ = 0;
  }

 private:
  AdaGrad learner_;
  std::uint64_t scored_ = 0;  // the number of the lists that were scored last
  std::mutex mutex_;
};

WeightLimits limits_of(const Doubles& lower, const Doubles& upper, const Doubles& factors) {
  return {copy_of(lower), copy_of(upper), copy_of(factors)};
}

auto state_of(HeldAdaGrad& self) {
  AdaGradState state;
  std::uint64_t steps = 0, averaged = 0;
  self.use([&](AdaGrad& learner) {
    state = learner.state();
    steps = learner.steps();
    averaged = learner.averaged();
  });
  return std::make_tuple(to_array(std::move(state.weights)), to_array(std::move(state.squares)),
                         to_array(std::move(state.sums)), to_array(std::move(state.since)),
                         to_array(std::move(state.support)), to_array(std::move(state.sentences)), steps,
                         averaged);
}

auto changed(HeldAdaGrad& self) {
  AdaGrad::Changes found = self.use([](AdaGrad& learner) { return learner.changed(); });
  return std::make_tuple(to_array(std::move(found.ids)), to_array(std::move(found.values)));
}

auto scores_of(HeldAdaGrad& self, const HeldLists& lists) {
  std::vector<double> scores(lists.lists.matrix.rows());
  self.score(lists, scores);
  return to_array(std::move(scores));
}

void bind_adagrad(nb::module_& m) {
  nb::class_<HeldAdaGrad>(m, "AdaGrad", "AdaGrad steps with a proximal point, put off for untouched weights.")
      .def(
          "__init__",
          [](HeldAdaGrad* self, double rate, double epsilon, double l1, double l2, std::uint32_t min_sentences,
             const Doubles& weights, const Doubles& squares, const Doubles& sums, const Doubles& since,
             const Doubles& support, const Doubles& sentences, const Doubles& lower, const Doubles& upper,
             const Doubles& factors, std::uint64_t steps, std::uint64_t averaged) {
            const AdaGradView state{span_of(weights), span_of(squares), span_of(sums),
                                    span_of(since),   span_of(support), span_of(sentences)};
            new (self) HeldAdaGrad({rate, epsilon, l1, l2, min_sentences}, state, limits_of(lower, upper, factors),
                                   steps, averaged);
          },
          "rate"_a, "epsilon"_a, "l1"_a, "l2"_a, "min_sentences"_a, "weights"_a, "squares"_a, "sums"_a, "since"_a,
          "support"_a, "sentences"_a, "lower"_a, "upper"_a, "factors"_a, "steps"_a, "averaged"_a)
      .def(
          "resize",
          [](HeldAdaGrad& self, std::size_t columns) { self.use([&](AdaGrad& a) { a.resize(columns); }); },
          "columns"_a, "New weights are 0.")
      .def(
          "set_limits",
          [](HeldAdaGrad& self, const Doubles& lower, const Doubles& upper, const Doubles& factors) {
            self.use([&](AdaGrad& a) { a.set_limits(limits_of(lower, upper, factors)); });
          },
          "lower"_a, "upper"_a, "factors"_a, "Bounds and penalty factors, or empty arrays.")
      .def(
          "begin_epoch", [](HeldAdaGrad& self) { self.use([](AdaGrad& a) { a.begin_epoch(); }); },
          "Count sentences of features from 0.")
      .def(
          "begin_average", [](HeldAdaGrad& self) { self.use([](AdaGrad& a) { a.begin_average(); }); },
          "The average is one of the steps from now on.")
      .def("scores", &scores_of, "lists"_a, "X · w.")
      .def(
          "count", [](HeldAdaGrad& self, const HeldLists& l) { self.use([&](AdaGrad& a) { a.count(l.lists); }); },
          "lists"_a, "Count the sentences in which features occur.")
      .def(
          "step",
          [](HeldAdaGrad& self, const HeldLists& lists, const Doubles& slopes) {
            self.step(lists, span_of(slopes));
          },
          "lists"_a, "slopes"_a, "A step with the gradient Xᵀ · slopes.")
      .def(
          "dense_step",
          [](HeldAdaGrad& self, const Doubles& gradient) {
            self.use([&](AdaGrad& a) { a.step(span_of(gradient)); });
          },
          "gradient"_a, "A step with a gradient for every weight.")
      .def(
          "penalty_step", [](HeldAdaGrad& self) { self.use([](AdaGrad& a) { a.step(); }); },
          "A step of the penalty alone.")
      .def("changed", &changed, "Numbers and values of weights that changed since the last call.")
      .def(
          "weights", [](HeldAdaGrad& self) { return to_array(self.use([](AdaGrad& a) { return a.weights(); })); },
          "All weights after the last step.")
      .def(
          "average", [](HeldAdaGrad& self) { return to_array(self.use([](AdaGrad& a) { return a.average(); })); },
          "The mean of the weights after each step.")
      .def(
          "set_weights",
          [](HeldAdaGrad& self, const Doubles& w) { self.use([&](AdaGrad& a) { a.set_weights(span_of(w)); }); },
          "weights"_a, "Put these in place of the weights.")
      .def("state", &state_of,
           "Weights, squares, sums, the step of each weight, counts of sentences (the most, and of this epoch), "
           "steps made and averaged.");
}

auto margins(const Integers& offsets, const Ids& ids, const Doubles& values, const Doubles& scores,
             const Ids& better, const Ids& worse, const Doubles& losses, double cap, MarginBound bound, double tol,
             std::uint64_t steps) {
  MarginSolution found = without_gil([&] {
    const SparseVectors vectors{span_of(offsets), span_of(ids), span_of(values)};
    const Margins given{span_of(scores), span_of(better), span_of(worse), span_of(losses)};
    return solve_margins(vectors, given, {cap, bound, tol, steps});
  });
  return std::make_tuple(to_array(std::move(found.multipliers)), to_array(std::move(found.coefficients)),
                         found.gap, found.steps);
}

}  // namespace

void bind_online(nb::module_& m) {
  bind_adagrad(m);
  nb::enum_<MarginBound>(m, "MarginBound", "What bounds the multipliers of margins.")
      .value("sum", MarginBound::sum)
      .value("box", MarginBound::box);
  m.def("solve_margins", &margins, "offsets"_a, "ids"_a, "values"_a, "scores"_a, "better"_a, "worse"_a, "losses"_a,
        "cap"_a, "bound"_a, "tol"_a, "steps"_a,
        "Multipliers of the margins, coefficients of the vectors, the duality gap and the steps made.");
  m.def(
      "expected_gain_slopes",
      [](const Integers& offsets, const Doubles& gains, double scale, double entropy, const Doubles& scores) {
        std::vector<double> slopes(scores.data(), scores.data() + scores.size());
        const double value = without_gil([&] {
          check_finite(span_of(gains), "gains");
          const Lists lists(span_of(offsets), gains.size());
          return expected_gain_slopes(lists, {span_of(gains), scale, entropy}, slopes);
        });
        return std::make_tuple(value, to_array(std::move(slopes)));
      },
      "offsets"_a, "gains"_a, "scale"_a, "entropy"_a, "scores"_a,
      "The sum over sentences of minus the expected gain, and its derivative by the score of each candidate.");
}

}  // namespace tunesmith::bind
