#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "grammar/collect.hpp"
#include "grammar/extract.hpp"
#include "grammar/source_filter.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;
using WordIds = nb::ndarray<const WordId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

WordNumbers numbers(const WordIds& ids, const Integers& offsets) {
  if (offsets.size() == 0 || offsets(0) != 0 || offsets(offsets.size() - 1) != static_cast<std::int64_t>(ids.size()))
    throw Error("offsets must rise from 0 to the number of words");
  return {{ids.data(), ids.size()}, {offsets.data(), offsets.size()}};
}

// A collector together with the arrays it reads.
class Collecting {
 public:
  Collecting(WordIds source, Integers source_offsets, WordIds target, Integers target_offsets,
             const Alignments& alignments, Integers labels, const LexicalTable& target_given_source,
             const LexicalTable& source_given_target, const SourceFilter* filter, const CollectOptions& options)
      : source_(source),
        target_(target),
        source_offsets_(source_offsets),
        target_offsets_(target_offsets),
        collector_(numbers(source_, source_offsets_), numbers(target_, target_offsets_), alignments,
                   {labels.data(), labels.size()}, target_given_source, source_given_target, filter, options) {}
  RuleCollector& operator*() { return collector_; }

 private:
  WordIds source_, target_;
  Integers source_offsets_, target_offsets_;
  RuleCollector collector_;
};

// Occurrences as Python tuples, for tests and for looking at one sentence pair.
template <class Options>
nb::list extract_pair(const std::vector<WordId>& source, const std::vector<WordId>& target,
                      const std::vector<std::pair<int, int>>& links, const Options& options,
                      void (RuleExtractor::*run)(const AlignedPair&, const Options&, Occurrences&)) {
  check(options);
  Alignments all;
  std::vector<Link> given;
  for (const auto& [s, t] : links) {
    if (s < 0 || t < 0 || static_cast<std::size_t>(s) >= source.size() || static_cast<std::size_t>(t) >= target.size())
      throw Error("link " + std::to_string(s) + "-" + std::to_string(t) + " points outside the sentences");
    given.push_back({s, t});
  }
  all.add(std::move(given));
  RuleExtractor extractor;
  Occurrences found;
  (extractor.*run)({source, target, all.of(0)}, options, found);
  nb::list out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RuleView rule = found.rule(i);
    nb::list f, e, a;
    for (const Symbol symbol : rule.source) f.append(symbol);
    for (const Symbol symbol : rule.target) e.append(symbol);
    for (const RuleLink& link : rule.links) a.append(nb::make_tuple(link.source, link.target));
    out.append(nb::make_tuple(nb::tuple(f), nb::tuple(e), nb::tuple(a), found.shared_by(i)));
  }
  return out;
}

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
  nb::enum_<RuleSmoothing>(m, "RuleSmoothing", "How relative frequencies are smoothed.")
      .value("none", RuleSmoothing::none)
      .value("good_turing", RuleSmoothing::good_turing)
      .value("kneser_ney", RuleSmoothing::kneser_ney);
  nb::class_<CollectOptions>(m, "CollectOptions", "What is extracted, kept and written where.")
      .def(nb::init<>())
      .def_rw("phrase", &CollectOptions::phrase, nb::arg().none())
      .def_rw("hiero", &CollectOptions::hiero, nb::arg().none())
      .def_rw("single_words", &CollectOptions::single_words)
      .def_rw("top", &CollectOptions::top)
      .def_rw("smoothing", &CollectOptions::smoothing)
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
      .def_ro("single_words", &CollectTotals::single_words)
      .def_ro("kept_rules", &CollectTotals::kept_rules)
      .def_ro("kept_sources", &CollectTotals::kept_sources)
      .def_ro("spilled_bytes", &CollectTotals::spilled_bytes)
      .def_prop_ro("counts_of_counts", [](const CollectTotals& self) {
        return std::vector<std::uint64_t>(self.counts_of_counts.begin(), self.counts_of_counts.end());
      });

  nb::class_<SourceFilter>(m, "SourceFilter", "Which source sides can match somewhere in a text.")
      .def(
          "__init__",
          [](SourceFilter* self, const WordIds& ids, const Integers& offsets, int longest) {
            new (self) SourceFilter(numbers(ids, offsets), longest);
          },
          "ids"_a, "offsets"_a, "longest"_a)
      .def(
          "matches", [](const SourceFilter& self, const std::vector<Symbol>& source) { return self.matches(source); },
          "source"_a, "Whether this source side, gaps negative, can match.");

  nb::class_<Collecting>(m, "RuleCollector", "From an aligned corpus to a scored rule table on disk.")
      .def(nb::init<WordIds, Integers, WordIds, Integers, const Alignments&, Integers, const LexicalTable&,
                    const LexicalTable&, const SourceFilter*, const CollectOptions&>(),
           "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a, "alignments"_a, "labels"_a,
           "target_given_source"_a, "source_given_target"_a, "filter"_a.none(), "options"_a,
           nb::keep_alive<1, 6>(), nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
      .def_prop_ro("pairs", [](Collecting& self) { return (*self).pairs(); })
      .def(
          "extract", [](Collecting& self, std::size_t begin, std::size_t end) { (*self).extract(begin, end); },
          "begin"_a, "end"_a, nb::call_guard<nb::gil_scoped_release>(), "Take in these sentence pairs.")
      .def(
          "parts", [](Collecting& self) { return (*self).parts(); }, nb::call_guard<nb::gil_scoped_release>(),
          "How many parts there are to write; once, after all pairs.")
      .def(
          "write", [](Collecting& self, std::size_t begin, std::size_t end) { (*self).write(begin, end); },
          "begin"_a, "end"_a, nb::call_guard<nb::gil_scoped_release>(), "Write the rules of these parts.")
      .def(
          "sources", [](Collecting& self) { return (*self).sources(); }, nb::call_guard<nb::gil_scoped_release>(),
          "How many source sides there are to score; once, after all parts.")
      .def(
          "score", [](Collecting& self, std::size_t begin, std::size_t end) { (*self).score(begin, end); },
          "begin"_a, "end"_a, nb::call_guard<nb::gil_scoped_release>(), "Score the rules of these source sides.")
      .def("finish", [](Collecting& self) { return (*self).finish(); }, "Totals.");

  m.def(
      "extract_phrases",
      [](const std::vector<WordId>& source, const std::vector<WordId>& target,
         const std::vector<std::pair<int, int>>& links, const PhraseOptions& options) {
        return extract_pair(source, target, links, options, &RuleExtractor::phrases);
      },
      "source"_a, "target"_a, "links"_a, "options"_a,
      "Phrase pairs of one sentence pair: (source, target, links, shared_by) per occurrence.");
  m.def(
      "extract_hiero",
      [](const std::vector<WordId>& source, const std::vector<WordId>& target,
         const std::vector<std::pair<int, int>>& links, const HieroOptions& options) {
        return extract_pair(source, target, links, options, &RuleExtractor::hiero);
      },
      "source"_a, "target"_a, "links"_a, "options"_a,
      "Hierarchical rules of one sentence pair: (source, target, links, shared_by) per occurrence.");
}

}  // namespace tunesmith::bind
