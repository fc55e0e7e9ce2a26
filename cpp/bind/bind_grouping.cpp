#include <atomic>
#include <mutex>
#include <string>

#include "bind/candidates.hpp"
#include "bind/convert.hpp"
#include "bind/interruptible.hpp"
#include "tuning/online/cumulative_l1.hpp"
#include "tuning/online/differences.hpp"
#include "tuning/online/literal_oscar.hpp"
#include "tuning/online/online_oscar.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = Array<double>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

// Differences together with the arrays they look at.
struct HeldDifferences {
  HeldDifferences(const Integers& offsets, const Array<std::uint32_t>& ids, const Array<float>& values,
                  const DoubleRows& dense, std::size_t penalised)
      : offsets(offsets), ids(ids), values(values), dense(dense) {
    view = {{offsets.data(), offsets.size()}, span_of(ids),   span_of(values),
            {dense.data(), dense.size()},     dense.shape(1), penalised};
    if (view.offsets.empty() || dense.shape(0) != view.size())
      throw Error("there must be one dense row for each pair");
    nb::gil_scoped_release release;
    check_differences(view);
  }

  Integers offsets;
  Array<std::uint32_t> ids;
  Array<float> values;
  DoubleRows dense;
  Differences view;
};

OnlineOptions options_of(double l1, double l2, std::size_t dimension, double rate, double delay,
                         bool learn_dense) {
  return {{l1, l2, dimension}, rate, delay, learn_dense};
}

// A learner that one Python thread uses at a time.
template <class Learner>
struct Locked {
  template <class... Rest>
  explicit Locked(const OnlineOptions& options, const Rest&... rest) : learner(options, rest...) {}

  void run(const HeldDifferences& differences, const Array<std::uint32_t>& order) {
    nb::gil_scoped_release release;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock()) throw Error("another thread is using this learner");
    run_interruptibly([&](const std::atomic<bool>& stop) { learner.run(differences.view, span_of(order), stop); });
  }
  template <class Read>
  auto read(Read what) {
    nb::gil_scoped_release release;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock()) throw Error("another thread is using this learner");
    return what(learner);
  }

  Learner learner;
  std::mutex mutex;
};

nb::tuple counts_of(const OnlineCounts& counts) {
  return nb::make_tuple(counts.steps, counts.violated, counts.skipped, counts.groups);
}

void bind_differences(nb::module_& m) {
  nb::class_<HeldDifferences>(m, "Differences", "Sparse differences of pairs, better minus worse.")
      .def(nb::init<const Integers&, const Array<std::uint32_t>&, const Array<float>&, const DoubleRows&,
                    std::size_t>(),
           "offsets"_a, "ids"_a, "values"_a, "dense"_a, "penalised"_a)
      .def("__len__", [](const HeldDifferences& self) { return self.view.size(); })
      .def(
          "margins",
          [](const HeldDifferences& self, const Doubles& penalised, const Doubles& dense, int threads) {
            std::vector<double> out(self.view.size());
            {
              nb::gil_scoped_release release;
              margins(self.view, span_of(penalised), span_of(dense), out, threads);
            }
            return to_array(std::move(out));
          },
          "penalised"_a, "dense"_a, "threads"_a = 1, "The scalar product of every difference with the weights.")
      .def(
          "combine",
          [](const HeldDifferences& self, const Doubles& coefficients) {
            std::vector<double> penalised(self.view.penalised), dense(self.view.dense_columns);
            {
              nb::gil_scoped_release release;
              combine(self.view, span_of(coefficients), penalised, dense);
            }
            return nb::make_tuple(to_array(std::move(penalised)), to_array(std::move(dense)));
          },
          "coefficients"_a,
          nb::sig("def combine(self, coefficients: numpy.typing.NDArray[numpy.float64]) -> tuple[typing.Any, "
                  "typing.Any]"),
          "The sum of the differences, each times its coefficient: penalised and dense part.");
  m.def(
      "pair_differences",
      [](const HeldLists& lists, const Integers& better, const Integers& worse, const Integers& penalised,
         int threads) {
        StoredDifferences found;
        {
          nb::gil_scoped_release release;
          found = make_differences(lists.lists.matrix, {better.data(), better.size()},
                                   {worse.data(), worse.size()}, {penalised.data(), penalised.size()}, threads);
        }
        auto* owned = new std::vector<double>(std::move(found.dense));
        nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
        nb::ndarray<nb::numpy, double, nb::ndim<2>> dense(owned->data(), {better.size(), found.unpenalised.size()},
                                                          owner);
        return nb::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.ids)),
                              to_array(std::move(found.values)), dense, to_array(std::move(found.penalised)),
                              to_array(std::move(found.unpenalised)));
      },
      "lists"_a, "better"_a, "worse"_a, "penalised"_a, "threads"_a = 1,
      nb::sig("def pair_differences(lists: CandidateLists, better: numpy.typing.NDArray[numpy.int64], worse: "
              "numpy.typing.NDArray[numpy.int64], penalised: numpy.typing.NDArray[numpy.int64], threads: int = 1) "
              "-> tuple[typing.Any, typing.Any, typing.Any, typing.Any, typing.Any, typing.Any]"),
      "Offsets, ids, values, dense rows, penalised columns that occur, other columns.");
}

void bind_online(nb::module_& m) {
  using Online = Locked<OnlineOscar>;
  nb::class_<Online>(m, "OnlineOscar", "Algorithm 2 of Liu et al. (2013): exact, and lazy.")
      .def(
          "__init__",
          [](Online* self, const Doubles& penalised, const Doubles& dense, double l1, double l2,
             std::size_t dimension, double rate, double delay, bool learn_dense, std::size_t capacity) {
            new (self) Online(options_of(l1, l2, dimension, rate, delay, learn_dense), span_of(penalised),
                              span_of(dense), capacity);
          },
          "penalised"_a, "dense"_a, "l1"_a, "l2"_a, "dimension"_a, "rate"_a = 1.0, "delay"_a = 0.0,
          "learn_dense"_a = true, "capacity"_a = 0)
      .def("run", &Online::run, "differences"_a, "order"_a, "A step for each pair of `order`. Ctrl-C ends it.")
      .def("begin_average", [](Online& self) { self.read([](OnlineOscar& learner) { learner.begin_average(); }); })
      .def_prop_ro("groups",
                   [](Online& self) { return self.read([](OnlineOscar& learner) { return learner.groups(); }); })
      .def(
          "counts",
          [](Online& self) { return counts_of(self.read([](OnlineOscar& learner) { return learner.counts(); })); },
          nb::sig("def counts(self) -> tuple[int, int, int, float]"),
          "Steps, violated, skipped, and the sum of the numbers of groups behind each step.")
      .def(
          "penalised",
          [](Online& self) {
            return to_array(self.read([](OnlineOscar& learner) { return learner.penalised(); }));
          },
          "The penalised weights.")
      .def(
          "dense",
          [](Online& self) {
            return to_array(self.read([](OnlineOscar& learner) {
              return std::vector<double>(learner.dense().begin(), learner.dense().end());
            }));
          },
          "The dense weights.")
      .def("average_penalised",
           [](Online& self) {
             return to_array(self.read([](OnlineOscar& learner) { return learner.average_penalised(); }));
           })
      .def("average_dense",
           [](Online& self) {
             return to_array(self.read([](OnlineOscar& learner) { return learner.average_dense(); }));
           })
      .def(
          "group_numbers",
          [](Online& self) {
            return to_array(self.read([](OnlineOscar& learner) { return learner.group_numbers(); }));
          },
          "For each penalised weight the number of its group of equal |w|, highest first; -1 for 0.");

  using Literal = Locked<LiteralOscar>;
  nb::class_<Literal>(m, "LiteralOscar", "Algorithms 2 and 3 of Liu et al. (2013) as printed: for comparison.")
      .def(
          "__init__",
          [](Literal* self, const Doubles& penalised, const Doubles& dense, double l1, double l2,
             std::size_t dimension, double rate, double delay, bool learn_dense) {
            new (self) Literal(options_of(l1, l2, dimension, rate, delay, learn_dense), span_of(penalised),
                               span_of(dense));
          },
          "penalised"_a, "dense"_a, "l1"_a, "l2"_a, "dimension"_a, "rate"_a = 1.0, "delay"_a = 0.0,
          "learn_dense"_a = true)
      .def("run", &Literal::run, "differences"_a, "order"_a)
      .def(
          "counts",
          [](Literal& self) {
            return counts_of(self.read([](LiteralOscar& learner) { return learner.counts(); }));
          },
          nb::sig("def counts(self) -> tuple[int, int, int, float]"))
      .def("penalised",
           [](Literal& self) {
             return to_array(self.read([](LiteralOscar& learner) { return std::vector(learner.penalised()); }));
           })
      .def("dense", [](Literal& self) {
        return to_array(self.read([](LiteralOscar& learner) { return std::vector(learner.dense()); }));
      });
}

void bind_cumulative_l1(nb::module_& m) {
  using Cumulative = Locked<CumulativeL1>;
  nb::class_<Cumulative>(m, "CumulativeL1", "L1 by cumulative penalty (Tsuruoka et al. 2009): exact, and lazy.")
      .def(
          "__init__",
          [](Cumulative* self, const Doubles& penalised, const Doubles& dense, double strength, double rate,
             double delay, bool learn_dense) {
            new (self) Cumulative(options_of(strength, 0, penalised.size(), rate, delay, learn_dense),
                                  span_of(penalised), span_of(dense));
          },
          "penalised"_a, "dense"_a, "strength"_a, "rate"_a = 1.0, "delay"_a = 0.0, "learn_dense"_a = true)
      .def("run", &Cumulative::run, "differences"_a, "order"_a, "A step for each pair of `order`. Ctrl-C ends it.")
      .def("begin_average",
           [](Cumulative& self) { self.read([](CumulativeL1& learner) { learner.begin_average(); }); })
      .def(
          "counts",
          [](Cumulative& self) {
            return counts_of(self.read([](CumulativeL1& learner) { return learner.counts(); }));
          },
          nb::sig("def counts(self) -> tuple[int, int, int, float]"), "Steps, violated, not violated, 0.")
      .def(
          "penalised",
          [](Cumulative& self) {
            return to_array(self.read([](CumulativeL1& learner) { return learner.penalised(); }));
          },
          "The penalised weights.")
      .def(
          "dense",
          [](Cumulative& self) {
            return to_array(self.read([](CumulativeL1& learner) { return std::vector(learner.dense()); }));
          },
          "The dense weights.")
      .def("average_penalised",
           [](Cumulative& self) {
             return to_array(self.read([](CumulativeL1& learner) { return learner.average_penalised(); }));
           })
      .def("average_dense", [](Cumulative& self) {
        return to_array(self.read([](CumulativeL1& learner) { return learner.average_dense(); }));
      });
}

}  // namespace

void bind_grouping(nb::module_& m) {
  bind_differences(m);
  bind_online(m);
  bind_cumulative_l1(m);
}

}  // namespace tunesmith::bind
