#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/convert.hpp"
#include "bind/interruptible.hpp"
#include "clustering/bigrams.hpp"
#include "clustering/exchange.hpp"
#include "clustering/likelihood.hpp"
#include "clustering/predictive.hpp"
#include "clustering/two_sided.hpp"

namespace tunesmith::bind {
namespace {

enum class Objective { one_sided, two_sided, bidirectional };

std::unique_ptr<ClassObjective> make_objective(const Bigrams& bigrams, Objective kind, std::int64_t classes) {
  if (classes < 1 || classes > max_classes)
    throw Error("classes must be between 1 and " + std::to_string(max_classes) + ", got " +
                std::to_string(classes));
  const auto count = static_cast<std::size_t>(classes);
  if (kind == Objective::two_sided) return std::make_unique<TwoSidedObjective>(bigrams, count);
  return std::make_unique<PredictiveObjective>(bigrams, count, kind == Objective::bidirectional);
}

void make_exchange(Exchange* self, const Bigrams& bigrams, Objective kind, std::int64_t class_count,
                   const Array<ClassId>& classes, const Array<bool>& fixed) {
  nb::gil_scoped_release release;
  new (self) Exchange(make_objective(bigrams, kind, class_count), span_of(classes),
                      std::vector<bool>(fixed.data(), fixed.data() + fixed.size()));
}

}  // namespace

void bind_clustering(nb::module_& m) {
  nb::class_<Bigrams>(m, "Bigrams", "Words by falling count, with their neighbours.")
      .def("__len__", &Bigrams::size)
      .def(
          "words",
          [](const Bigrams& self) {
            std::vector<nb::str> out;
            for (const std::string& word : self.words) out.push_back(to_str(word));
            return out;
          },
          "All words in order; `<unk>` is one of them where the text has words that were not chosen.")
      .def(
          "counts", [](const Bigrams& self) { return to_array(self.counts); }, "The count of every word.")
      .def_ro("tokens", &Bigrams::tokens, "Words of the text.");

  using Counter = Guarded<BigramCounter>;
  nb::class_<Counter>(m, "BigramCounter", "Counts words and pairs of neighbours of any number of lines.")
      .def(nb::init<bool>(), "digits_to_one"_a = false)
      .def(
          "add",
          [](Counter& self, nb::handle lines) {
            const Strings strings(lines);
            locked(self, [&] { self.add(strings.views()); });
          },
          "lines"_a, "Count the words of these lines.")
      .def_prop_ro(
          "sentences", [](const Counter& self) { return self.sentences(); }, "Lines counted so far.")
      .def_prop_ro(
          "tokens", [](const Counter& self) { return self.tokens(); }, "Words counted so far.")
      .def_prop_ro(
          "types", [](const Counter& self) { return self.types(); }, "Different words so far.")
      .def(
          "choose",
          [](const Counter& self, std::int64_t min_count, nb::handle known) {
            const Strings strings(known);
            return locked(self, [&] { return self.choose(min_count, strings.views()); });
          },
          "min_count"_a, "known"_a,
          "Words among `known` or that occur at least `min_count` times; all others become <unk>.");

  nb::enum_<Objective>(m, "ClassObjective", "What classes are chosen by.")
      .value("one_sided", Objective::one_sided)
      .value("two_sided", Objective::two_sided)
      .value("bidirectional", Objective::bidirectional);

  nb::class_<Exchange>(m, "Exchange", "Words that move to their best class, pass by pass.")
      .def("__init__", &make_exchange, "bigrams"_a, "objective"_a, "class_count"_a, "classes"_a, "fixed"_a,
           nb::keep_alive<1, 2>(), "Class -1: the first pass chooses one. Words with `fixed` keep theirs.")
      .def(
          "make_pass",
          [](Exchange& self, int threads) {
            std::int64_t moves = 0;
            nb::gil_scoped_release release;
            run_interruptibly([&](const std::atomic<bool>& stop) { moves = self.pass(threads, stop); });
            return moves;
          },
          "threads"_a = 1, "One pass over all words; how many changed their class.")
      .def_prop_ro("objective", &Exchange::objective, "The running sum of the objective.")
      .def("from_scratch", &Exchange::from_scratch, nb::call_guard<nb::gil_scoped_release>(),
           "The objective computed from counts and classes alone.")
      .def("classes", [](const Exchange& self) { return to_array(self.classes()); }, "The class of every word.");

  m.def(
      "class_likelihood",
      [](const Bigrams& bigrams, const Array<ClassId>& classes) {
        const ClassLikelihood found = without_gil([&] { return class_likelihood(bigrams, span_of(classes)); });
        return std::tuple(found.forward, found.backward, found.two_sided);
      },
      "bigrams"_a, "classes"_a, "Natural logarithms of the text's likelihood: forward, backward, two-sided.");
}

}  // namespace tunesmith::bind
