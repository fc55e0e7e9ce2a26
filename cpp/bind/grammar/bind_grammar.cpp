#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/grammar/held_table.hpp"
#include "grammar/collection/collect.hpp"
#include "grammar/extraction/extract.hpp"
#include "grammar/extraction/fisher.hpp"
#include "grammar/tables/join_rules.hpp"
#include "grammar/tables/moses_reader.hpp"
#include "grammar/tables/moses_writer.hpp"
#include "grammar/tables/source_filter.hpp"

namespace tunesmith::bind {
namespace {

// A collector together with the arrays it reads.
class Collecting {
 public:
  // ValueError(message, line) for a link outside its sentence.
  Collecting(WordIds source, Integers source_offsets, WordIds target, Integers target_offsets,
             const Alignments& alignments, Array<std::uint64_t> labels, const LexicalTable& target_given_source,
             const LexicalTable& source_given_target, const SourceFilter* filter, const CollectOptions& options)
      : source_(source),
        target_(target),
        source_offsets_(source_offsets),
        target_offsets_(target_offsets),
        collector_(numbers(source_, source_offsets_), numbers(target_, target_offsets_), alignments,
                   span_of(labels), target_given_source, source_given_target, filter, options) {}
  // Calls a function of the collector without the GIL, one at a time.
  template <class... Arguments, class... Given>
  auto run(auto (RuleCollector::*function)(Arguments...), Given... given) {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return (collector_.*function)(given...);
  }
  std::size_t pairs() const { return collector_.pairs(); }

 private:
  WordIds source_, target_;
  Integers source_offsets_, target_offsets_;
  RuleCollector collector_;
  std::mutex mutex_;
};

}  // namespace

void bind_grammar(nb::module_& m) {
  nb::class_<PhraseOptions>(m, "PhraseOptions", "Limits of phrase pairs.")
      .def(nb::init<>())
      .def_rw("max_length", &PhraseOptions::max_length)
      .def_rw("tight", &PhraseOptions::tight);
  nb::class_<HieroOptions>(m, "HieroOptions", "Limits of hierarchical rules.")
      .def(nb::init<>())
      .def_rw("max_span", &HieroOptions::max_span)
      .def_rw("max_symbols", &HieroOptions::max_symbols)
      .def_rw("max_gaps", &HieroOptions::max_gaps)
      .def_rw("min_gap", &HieroOptions::min_gap)
      .def_rw("adjacent", &HieroOptions::adjacent)
      .def_rw("aligned", &HieroOptions::aligned)
      .def_rw("tight", &HieroOptions::tight)
      .def_rw("normal_form", &HieroOptions::normal_form)
      .def_rw("fractional", &HieroOptions::fractional);
  nb::enum_<OrientationModel>(m, "OrientationModel", "What an orientation is measured against.")
      .value("word", OrientationModel::word)
      .value("phrase", OrientationModel::phrase)
      .value("hier", OrientationModel::hier);
  nb::enum_<OrientationSet>(m, "OrientationSet", "Orientations that a reordering model distinguishes.")
      .value("monotonicity", OrientationSet::monotonicity)
      .value("msd", OrientationSet::msd)
      .value("msdn", OrientationSet::msdn)
      .value("mslr", OrientationSet::mslr);
  nb::class_<ReorderingOptions>(m, "ReorderingOptions", "Which orientations of phrase pairs are counted, and how.")
      .def(nb::init<>())
      .def_rw("model", &ReorderingOptions::model)
      .def_rw("orientations", &ReorderingOptions::orientations)
      .def_rw("previous", &ReorderingOptions::previous)
      .def_rw("next", &ReorderingOptions::next)
      .def_rw("smoothing", &ReorderingOptions::smoothing);
  nb::enum_<RuleSmoothing>(m, "RuleSmoothing", "How relative frequencies are smoothed.")
      .value("none", RuleSmoothing::none)
      .value("good_turing", RuleSmoothing::good_turing)
      .value("kneser_ney", RuleSmoothing::kneser_ney);
  nb::class_<CollectOptions>(m, "CollectOptions", "What is extracted, kept and written where.")
      .def(nb::init<>())
      .def_rw("phrase", &CollectOptions::phrase, nb::arg().none())
      .def_rw("hiero", &CollectOptions::hiero, nb::arg().none())
      .def_rw("reordering", &CollectOptions::reordering, nb::arg().none())
      .def_rw("single_words", &CollectOptions::single_words)
      .def_rw("top", &CollectOptions::top)
      .def_rw("smoothing", &CollectOptions::smoothing)
      .def_rw("significance", &CollectOptions::significance)
      .def_rw("lexical_decimals", &CollectOptions::lexical_decimals, nb::arg().none())
      .def_rw("folder", &CollectOptions::folder)
      .def_rw("scratch", &CollectOptions::scratch)
      .def_rw("memory", &CollectOptions::memory)
      .def_rw("threads", &CollectOptions::threads);
  nb::class_<CollectTotals>(m, "CollectTotals", "What is known of all rules, kept or not.")
      .def_ro("occurrences", &CollectTotals::occurrences)
      .def_ro("rules", &CollectTotals::rules)
      .def_ro("sources", &CollectTotals::sources)
      .def_ro("targets", &CollectTotals::targets)
      .def_ro("single_words", &CollectTotals::single_words);

  nb::class_<SourceFilter>(m, "SourceFilter", "Which source sides can match somewhere in a text.")
      .def(
          "__init__",
          [](SourceFilter* self, const WordIds& ids, const Integers& offsets, int longest) {
            new (self) SourceFilter(numbers(ids, offsets), longest);
          },
          "ids"_a, "offsets"_a, "longest"_a)
      .def(
          "matches_all",
          [](const SourceFilter& self, const Array<Symbol>& symbols, const Array<std::uint64_t>& offsets) {
            std::vector<std::uint8_t> out(offsets.size() == 0 ? 0 : offsets.size() - 1);
            for (std::size_t i = 0; i < out.size(); ++i) {
              if (offsets(i) > offsets(i + 1) || offsets(i + 1) - offsets(0) > symbols.size())
                throw Error("offsets must rise from 0 to the number of symbols");
              out[i] = self.matches({symbols.data() + (offsets(i) - offsets(0)), offsets(i + 1) - offsets(i)});
            }
            return to_array(std::move(out));
          },
          "symbols"_a, "offsets"_a, "The same for many source sides: 1 or 0 for each.")
      .def(
          "matches",
          [](const SourceFilter& self, const std::vector<Symbol>& source) { return self.matches(source); },
          "source"_a, "Whether this source side, gaps negative, can match.");

  nb::class_<Collecting>(m, "RuleCollector", "From an aligned corpus to a scored rule table on disk.")
      .def(
          "__init__",
          [](Collecting* self, const WordIds& source, const Integers& source_offsets, const WordIds& target,
             const Integers& target_offsets, const Alignments& alignments, const Array<std::uint64_t>& labels,
             const LexicalTable& target_given_source, const LexicalTable& source_given_target,
             const SourceFilter* filter, const CollectOptions& options) {
            new (self) Collecting(source, source_offsets, target, target_offsets, alignments, labels,
                                  target_given_source, source_given_target, filter, options);
          },
          "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a, "alignments"_a, "labels"_a,
          "target_given_source"_a, "source_given_target"_a, "filter"_a.none(), "options"_a, nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
      .def_prop_ro("pairs", &Collecting::pairs)
      .def(
          "extract",
          [](Collecting& self, std::size_t begin, std::size_t end) {
            self.run(&RuleCollector::extract, begin, end);
          },
          "begin"_a, "end"_a, "Take in these sentence pairs.")
      .def(
          "parts", [](Collecting& self) { return self.run(&RuleCollector::parts); },
          "How many parts there are to write; once, after all pairs.")
      .def(
          "write",
          [](Collecting& self, std::size_t begin, std::size_t end) {
            self.run(&RuleCollector::write, begin, end);
          },
          "begin"_a, "end"_a, "Write the rules of these parts.")
      .def(
          "sums", [](Collecting& self) { return self.run(&RuleCollector::sums); },
          "How many steps there are to sum up counts of target sides; once, after all parts.")
      .def(
          "sum",
          [](Collecting& self, std::size_t begin, std::size_t end) { self.run(&RuleCollector::sum, begin, end); },
          "begin"_a, "end"_a, "Do these steps.")
      .def(
          "sources", [](Collecting& self) { return self.run(&RuleCollector::sources); },
          "How many source sides there are to score; once, after all sums.")
      .def(
          "score",
          [](Collecting& self, std::size_t begin, std::size_t end) {
            self.run(&RuleCollector::score, begin, end);
          },
          "begin"_a, "end"_a, "Score the rules of these source sides.")
      .def("finish", [](Collecting& self) { return self.run(&RuleCollector::finish); }, "Totals.");

  nb::class_<FisherTest>(m, "FisherTest", "Whether two sides occur together more often than by chance.")
      .def(nb::init<std::size_t>(), "pairs"_a)
      .def("minus_log_p", &FisherTest::minus_log_p, "both"_a, "source"_a, "target"_a,
           "-log p for sides that occur in `source` and `target` sentence pairs, in `both` of them together.");
}

}  // namespace tunesmith::bind
