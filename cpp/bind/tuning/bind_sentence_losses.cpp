#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "bind/interruptible.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/losses/expected_gain.hpp"
#include "tuning/losses/hinge_dual.hpp"
#include "tuning/losses/structured_hinge.hpp"

namespace tunesmith::bind {
namespace {

ExpectedGain settings_of(const Doubles& gains, double scale, double entropy) {
  check_finite(span_of(gains), "gains");
  if (!std::isfinite(scale) || !std::isfinite(entropy)) throw Error("scale and entropy must be finite numbers");
  return {span_of(gains), scale, entropy};
}

void bind_expected_gain(nb::module_& m) {
  m.def(
      "expected_gain",
      [](const HeldLists& lists, const Doubles& gains, double scale, double entropy, const Doubles& w,
         bool with_gradient, int threads) {
        std::vector<double> gradient(with_gradient ? w.size() : 0);
        double value = without_gil([&] {
          return expected_gain(lists.lists.matrix, lists_of(lists), settings_of(gains, scale, entropy), span_of(w),
                               gradient, threads);
        });
        return std::make_tuple(value, to_array(std::move(gradient)));
      },
      "lists"_a, "gains"_a, "scale"_a, "entropy"_a, "w"_a, "with_gradient"_a = true, "threads"_a = 1,
      "The mean over sentences of minus the expected gain and minus `entropy` times the entropy, and its gradient "
      "(empty if not asked for).");
  m.def(
      "expected_gain_sums",
      [](const HeldLists& lists, const Doubles& gains, double scale, double entropy, const Doubles& w,
         std::size_t a_block, int threads) {
        std::vector<double> gradient(w.size());
        double value = without_gil([&] {
          return expected_gain_sums(lists.lists.matrix, lists_of(lists), settings_of(gains, scale, entropy),
                                    span_of(w), gradient, threads, a_block);
        });
        return std::make_tuple(value, to_array(std::move(gradient)));
      },
      "lists"_a, "gains"_a, "scale"_a, "entropy"_a, "w"_a, "a_block"_a = 0, "threads"_a = 1,
      "The sums over sentences in place of the means.");
  m.def(
      "descend_expected_gain",
      [](const HeldLists& lists, const Doubles& gains, double scale, double entropy, const Changed& weights,
         const Ids& order, double rate, double l2, std::uint64_t steps) {
        nb::gil_scoped_release release;
        const ExpectedGain settings = settings_of(gains, scale, entropy);
        check_finite(span_of(weights), "weights");
        run_interruptibly([&](const std::atomic<bool>& stop) {
          steps = descend_expected_gain(lists.lists.matrix, lists_of(lists), settings, span_of(order), {rate, l2},
                                        steps, span_of(weights), stop);
        });
        return steps;
      },
      "lists"_a, "gains"_a, "scale"_a, "entropy"_a, "weights"_a, "order"_a, "rate"_a, "l2"_a, "steps"_a,
      "One pass of stochastic gradient descent over the sentences of `order`; changes `weights`, gives the steps "
      "made so far.");
}

// A dual problem with the arrays it looks at; one Python thread uses it at a time.
class HeldHingeDual {
 public:
  HeldHingeDual(const HeldLists& lists, const Doubles& gains, const Doubles& curvature, const Doubles& lower,
                const Doubles& upper)
      : offsets_(lists.lists.offsets.begin(), lists.lists.offsets.end()),
        gains_(gains.data(), gains.data() + gains.size()) {
    check_finite(gains_, "gains");
    const auto copy = [](const Doubles& a) { return copy_of(a); };
    dual_ = std::make_unique<HingeDual>(lists.lists.matrix, Lists(offsets_, lists.lists.matrix.rows()), gains_,
                                        BoundedQuadratic{copy(curvature), copy(lower), copy(upper)});
  }

  void select(const Integers& oracles) {
    nb::gil_scoped_release release;
    const auto lock = locked();
    dual_->select(span_of(oracles));
  }
  auto solve(double tol, std::uint32_t rounds, std::uint64_t seed, int threads) {
    std::vector<double> weights;
    CuttingResult result;
    without_gil([&] {
      const auto lock = locked();
      if (!(tol >= 0)) throw Error("the tolerance must be at least 0");
      run_interruptibly(
          [&](const std::atomic<bool>& stop) { result = dual_->solve({tol, rounds, seed}, threads, stop); });
      weights.assign(dual_->weights().begin(), dual_->weights().end());
    });
    return std::make_tuple(to_array(std::move(weights)), result.primal, result.dual, result.rounds, result.planes,
                           result.steps);
  }

 private:
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) throw Error("another thread is using this problem");
    return lock;
  }

  std::vector<std::int64_t> offsets_;
  std::vector<double> gains_;
  std::unique_ptr<HingeDual> dual_;
  std::mutex mutex_;
};

void bind_hinge(nb::module_& m) {
  m.def(
      "latent_hinge",
      [](const HeldLists& lists, const Doubles& gains, Hope hope, const Doubles& w, int threads) {
        std::vector<std::int64_t> oracles(lists.lists.sentences());
        double value = 0;
        without_gil([&] {
          check_finite(span_of(gains), "gains");
          value = latent_hinge(lists.lists.matrix, lists_of(lists), span_of(gains), hope, span_of(w), oracles,
                               threads);
        });
        return std::make_tuple(value, to_array(std::move(oracles)));
      },
      "lists"_a, "gains"_a, "hope"_a, "w"_a, "threads"_a = 1,
      "The mean structured hinge loss over sentences, and the oracle of each (-1 for an empty list).");
  nb::class_<HeldHingeDual>(m, "HingeDual", "The structured hinge loss of fixed oracles, by cutting planes.")
      .def(nb::init<const HeldLists&, const Doubles&, const Doubles&, const Doubles&, const Doubles&>(), "lists"_a,
           "gains"_a, "curvature"_a, "lower"_a, "upper"_a, nb::keep_alive<1, 2>())
      .def("select", &HeldHingeDual::select, "oracles"_a, "One candidate for each sentence, -1 for an empty list.")
      .def("solve", &HeldHingeDual::solve, "tol"_a, "rounds"_a, "seed"_a, "threads"_a = 1,
           "Weights, primal and dual value, rounds, planes and steps.");
}

}  // namespace

void bind_sentence_losses(nb::module_& m) {
  bind_expected_gain(m);
  bind_hinge(m);
}

}  // namespace tunesmith::bind
