#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "bind/interruptible.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/losses/gradient_blocks.hpp"
#include "tuning/online/cumulative_l1.hpp"
#include "tuning/online/differences.hpp"
#include "tuning/online/literal_oscar.hpp"
#include "tuning/online/online_oscar.hpp"

namespace tunesmith::bind {
namespace {

// Differences together with the arrays they look at.
struct HeldDifferences {
  HeldDifferences(const Integers& offsets, const Ids& ids, const Array<float>& values, const Rows<double>& dense,
                  std::size_t penalised)
      : offsets(offsets), ids(ids), values(values), dense(dense) {
    view = {span_of(offsets), span_of(ids), span_of(values), span_of(dense), dense.shape(1), penalised};
    if (view.offsets.empty() || dense.shape(0) != view.size())
      throw Error("there must be one dense row for each pair");
    nb::gil_scoped_release release;
    check_differences(view);
  }

  Integers offsets;
  Ids ids;
  Array<float> values;
  Rows<double> dense;
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

  template <class Use>
  auto use(Use work) {
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock()) throw Error("another thread is using this learner");
    return work(learner);
  }

  Learner learner;
  std::mutex mutex;
};

// A method that gives the vector read(learner) as an array.
template <class Learner, class Read>
auto array_method(Read read) {
  return [read](Locked<Learner>& self) { return to_array(self.use(read)); };
}

// What every learner has.
template <class Learner>
void def_learner(nb::class_<Locked<Learner>>& learner, const char* counts) {
  learner
      .def(
          "run",
          [](Locked<Learner>& self, const HeldDifferences& differences, const Ids& order) {
            self.use([&](Learner& used) {
              run_interruptibly(
                  [&](const std::atomic<bool>& stop) { used.run(differences.view, span_of(order), stop); });
            });
          },
          "differences"_a, "order"_a, "A step for each pair of `order`. Ctrl-C ends it.")
      .def(
          "counts",
          [](Locked<Learner>& self) {
            const OnlineCounts found = self.use([](Learner& used) { return used.counts(); });
            return std::make_tuple(found.steps, found.violated, found.skipped, found.groups);
          },
          counts)
      .def("penalised", array_method<Learner>([](Learner& used) { return used.penalised(); }),
           "The penalised weights.")
      .def("dense", array_method<Learner>([](Learner& used) { return used.dense(); }), "The dense weights.");
}

// What learners have that average.
template <class Learner>
void def_average(nb::class_<Locked<Learner>>& learner) {
  learner
      .def("begin_average", [](Locked<Learner>& self) { self.use([](Learner& used) { used.begin_average(); }); })
      .def("average_penalised", array_method<Learner>([](Learner& used) { return used.average_penalised(); }))
      .def("average_dense", array_method<Learner>([](Learner& used) { return used.average_dense(); }));
}

void bind_differences(nb::module_& m) {
  nb::class_<HeldDifferences>(m, "Differences", "Sparse differences of pairs, better minus worse.")
      .def(nb::init<const Integers&, const Ids&, const Array<float>&, const Rows<double>&, std::size_t>(),
           "offsets"_a, "ids"_a, "values"_a, "dense"_a, "penalised"_a)
      .def("__len__", [](const HeldDifferences& self) { return self.view.size(); })
      .def(
          "margins",
          [](const HeldDifferences& self, const Doubles& penalised, const Doubles& dense, int threads) {
            std::vector<double> out(self.view.size());
            without_gil([&] { margins(self.view, span_of(penalised), span_of(dense), out, threads); });
            return to_array(std::move(out));
          },
          "penalised"_a, "dense"_a, "threads"_a = 1, "The scalar product of every difference with the weights.")
      .def(
          "combine",
          [](const HeldDifferences& self, const Doubles& coefficients, std::size_t a_block, int threads) {
            std::vector<double> penalised(self.view.penalised), dense(self.view.dense_columns);
            without_gil([&] { combine(self.view, span_of(coefficients), penalised, dense, threads, a_block); });
            return array_tuple(std::move(penalised), std::move(dense));
          },
          "coefficients"_a, "a_block"_a = 0, "threads"_a = 1,
          "The sum of the differences, each times its coefficient: penalised and dense part.")
      .def_prop_ro("dense_columns", [](const HeldDifferences& self) { return self.view.dense_columns; })
      .def(
          "dense_products",
          [](const HeldDifferences& self, const Doubles& coefficients, std::size_t a_block, int threads) {
            std::vector<double> out(self.view.dense_columns * self.view.dense_columns);
            without_gil([&] { dense_products(self.view, span_of(coefficients), out, threads, a_block); });
            return to_array(std::move(out));
          },
          "coefficients"_a, "a_block"_a = 0, "threads"_a = 1,
          "The sum of the products of dense rows with themselves, each times its coefficient, row after row.")
      .def(
          "descend_to_centre",
          [](const HeldDifferences& self, const Ids& order, double strength, const Changed& multipliers,
             const Changed& penalised, const Changed& dense) {
            without_gil([&] {
              descend_to_centre(self.view, span_of(order), strength, span_of(multipliers), span_of(penalised),
                                span_of(dense));
            });
          },
          "order"_a, "strength"_a, "multipliers"_a, "penalised"_a, "dense"_a,
          "A pass of dual coordinate descent on the hinge loss and a quadratic around a centre; changes the "
          "arrays.");
  m.def("pairs_a_block", &pairs_a_block, "pairs"_a, "Pairs of a block of a sum.");
  m.def("sentences_a_block", &sentences_a_block, "sentences"_a, "Sentences of a block of a sum.");
  m.def(
      "add_in_tree",
      [](const Integers& offsets, const Ids& ids, const Doubles& values, std::size_t columns, int threads) {
        std::vector<double> out(columns);
        without_gil([&] {
          const Lists cut(span_of(offsets), ids.size());
          if (ids.size() != values.size()) throw Error("there must be a value for every number");
          std::vector<SparseSum> nodes(cut.size());
          for (std::size_t n = 0; n < cut.size(); ++n) {
            const auto mine = span_of(ids).subspan(cut.begin(n), cut.length(n));
            const auto numbers = span_of(values).subspan(cut.begin(n), cut.length(n));
            if (!std::is_sorted(mine.begin(), mine.end()) || (!mine.empty() && mine.back() >= columns))
              throw Error("the numbers of a part must rise and be below " + std::to_string(columns));
            nodes[n] = {{mine.begin(), mine.end()}, {numbers.begin(), numbers.end()}};
          }
          add_in_tree(std::move(nodes), out, threads);
        });
        return to_array(std::move(out));
      },
      "offsets"_a, "ids"_a, "values"_a, "columns"_a, "threads"_a = 1,
      "The sum of sparse vectors in the order of a binary tree; offsets cut ids and values into vectors.");
  m.def(
      "add_numbers_in_tree",
      [](const Doubles& values, std::size_t a_block) {
        return without_gil([&] {
          if (a_block == 0) throw Error("a block has at least one number");
          const std::span<const double> all = span_of(values);
          std::vector<double> blocks;
          for (std::size_t begin = 0; begin < all.size(); begin += a_block) {
            double sum = 0;
            for (const double value : all.subspan(begin, std::min(a_block, all.size() - begin))) sum += value;
            blocks.push_back(sum);
          }
          return added_in_tree(std::move(blocks));
        });
      },
      "values"_a, "a_block"_a = 1, "The sum of numbers, in blocks of `a_block`, and of blocks in a binary tree.");
  m.def(
      "pair_differences",
      [](const HeldLists& lists, const Integers& better, const Integers& worse, const Integers& penalised,
         int threads) {
        StoredDifferences found = without_gil([&] {
          return make_differences(lists.lists.matrix, span_of(better), span_of(worse), span_of(penalised),
                                  threads);
        });
        const auto dense = to_rows(std::move(found.dense), better.size(), found.unpenalised.size());
        return std::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.ids)),
                               to_array(std::move(found.values)), dense, to_array(std::move(found.penalised)),
                               to_array(std::move(found.unpenalised)));
      },
      "lists"_a, "better"_a, "worse"_a, "penalised"_a, "threads"_a = 1,
      "Offsets, ids, values, dense rows, penalised columns that occur, other columns.");
}

void bind_online(nb::module_& m) {
  using Online = Locked<OnlineOscar>;
  nb::class_<Online> online(m, "OnlineOscar", "Algorithm 2 of Liu et al. (2013): exact, and lazy.");
  online
      .def(
          "__init__",
          [](Online* self, const Doubles& penalised, const Doubles& dense, double l1, double l2,
             std::size_t dimension, double rate, double delay, bool learn_dense, std::size_t capacity) {
            new (self) Online(options_of(l1, l2, dimension, rate, delay, learn_dense), span_of(penalised),
                              span_of(dense), capacity);
          },
          "penalised"_a, "dense"_a, "l1"_a, "l2"_a, "dimension"_a, "rate"_a = 1.0, "delay"_a = 0.0,
          "learn_dense"_a = true, "capacity"_a = 0)
      .def_prop_ro("groups",
                   [](Online& self) { return self.use([](OnlineOscar& used) { return used.groups(); }); })
      .def("group_numbers", array_method<OnlineOscar>([](OnlineOscar& used) { return used.group_numbers(); }),
           "For each penalised weight the number of its group of equal |w|, highest first; -1 for 0.");
  def_learner(online, "Steps, violated, skipped, and the sum of the numbers of groups after each step.");
  def_average(online);

  using Literal = Locked<LiteralOscar>;
  nb::class_<Literal> literal(m, "LiteralOscar",
                              "Algorithms 2 and 3 of Liu et al. (2013) as printed: for comparison.");
  literal.def(
      "__init__",
      [](Literal* self, const Doubles& penalised, const Doubles& dense, double l1, double l2,
         std::size_t dimension, double rate, double delay, bool learn_dense) {
        new (self)
            Literal(options_of(l1, l2, dimension, rate, delay, learn_dense), span_of(penalised), span_of(dense));
      },
      "penalised"_a, "dense"_a, "l1"_a, "l2"_a, "dimension"_a, "rate"_a = 1.0, "delay"_a = 0.0,
      "learn_dense"_a = true);
  def_learner(literal, "Steps, violated, 0, and the sum of the numbers of groups after each step.");

  using Cumulative = Locked<CumulativeL1>;
  nb::class_<Cumulative> cumulative(m, "CumulativeL1",
                                    "L1 by cumulative penalty (Tsuruoka et al. 2009): exact, and lazy.");
  cumulative.def(
      "__init__",
      [](Cumulative* self, const Doubles& penalised, const Doubles& dense, double strength, double rate,
         double delay, bool learn_dense) {
        new (self) Cumulative(options_of(strength, 0, penalised.size(), rate, delay, learn_dense),
                              span_of(penalised), span_of(dense));
      },
      "penalised"_a, "dense"_a, "strength"_a, "rate"_a = 1.0, "delay"_a = 0.0, "learn_dense"_a = true);
  cumulative
      .def(
          "resume",
          [](Cumulative& self, double total, const Doubles& received) {
            self.use([&](CumulativeL1& l) { l.resume(total, span_of(received)); });
          },
          "total"_a, "received"_a,
          "Before the first step: the penalty so far, and what each weight has got of it.")
      .def(
          "received",
          [](Cumulative& self) {
            double total = 0;
            std::vector<double> received;
            self.use([&](CumulativeL1& l) { total = l.total(), received = l.received(); });
            return std::make_tuple(total, to_array(std::move(received)));
          },
          "The penalty so far, and what each weight has got of it.");
  def_learner(cumulative, "Steps, violated, not violated, 0.");
  def_average(cumulative);
}

}  // namespace

void bind_grouping(nb::module_& m) {
  bind_differences(m);
  bind_online(m);
}

}  // namespace tunesmith::bind
