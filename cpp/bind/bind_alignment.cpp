#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "alignment/hmm.hpp"
#include "alignment/lexical_table.hpp"
#include "alignment/links.hpp"
#include "alignment/symmetrize.hpp"
#include "bind/convert.hpp"
#include "bind/interruptible.hpp"

namespace tunesmith::bind {
namespace {

std::vector<std::int32_t> side(const Alignments& self, std::int32_t Link::* member) {
  std::vector<std::int32_t> out(self.links.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = self.links[i].*member;
  return out;
}

Alignments from_arrays(const Array<WordId>& source, const Array<WordId>& target, const Integers& offsets) {
  if (source.size() != target.size()) throw Error("there must be as many source as target positions");
  if (offsets.size() == 0 || offsets(0) != 0) throw Error("offsets must begin with 0");
  Alignments out;
  std::vector<Link> links;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::int64_t begin = offsets(i), end = offsets(i + 1);
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > source.size())
      throw Error("offsets must rise from 0 to the number of links");
    links.clear();
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      for (const std::int32_t position : {source(k), target(k)})
        if (position < 0 || position >= longest_sentence)
          throw Error("position " + std::to_string(position) + " of a word is not between 0 and " +
                      std::to_string(longest_sentence) + " (exclusive)");
      links.push_back({source(k), target(k)});
    }
    out.add(links);
  }
  return out;
}

std::tuple<NewArray<WordId>, NewArray<WordId>, NewArray<std::int64_t>, NewArray<double>> entries(
    const LexicalTable& self) {
  std::vector<WordId> given(self.size()), word(self.size());
  std::vector<std::int64_t> count(self.size());
  for (std::size_t i = 0; i < self.size(); ++i) {
    given[i] = self.entries()[i].given;
    word[i] = self.entries()[i].word;
    count[i] = self.entries()[i].count;
  }
  return {to_array(std::move(given)), to_array(std::move(word)), to_array(std::move(count)),
          to_array(self.probabilities())};
}

// One iteration, or nothing of it where Ctrl-C came.
template <void (HmmAligner::*train)(int, const std::atomic<bool>&)>
void trained(HmmAligner& self, int threads) {
  nb::gil_scoped_release release;
  run_interruptibly([&](const std::atomic<bool>& stop) { (self.*train)(threads, stop); });
}

void bind_hmm(nb::module_& m) {
  nb::class_<HmmAligner>(m, "HmmAligner", "IBM model 1 and the hidden Markov model of one direction of a corpus.")
      .def(
          "__init__",
          [](HmmAligner* self, const Array<WordId>& source, const Integers& source_offsets,
             const Array<WordId>& target, const Integers& target_offsets, std::size_t source_words, double to_null,
             double uniform, double prior) {
            new (self) HmmAligner(copy_of(source), copy_of(source_offsets), copy_of(target),
                                  copy_of(target_offsets), source_words, {to_null, uniform, prior});
          },
          "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a, "source_words"_a,
          "to_null"_a = HmmOptions{}.to_null, "uniform"_a = HmmOptions{}.uniform, "prior"_a = HmmOptions{}.prior)
      .def("train_model1", &trained<&HmmAligner::train_model1>, "threads"_a = 1,
           "One iteration of expectation maximisation under model 1.")
      .def("train_hmm", &trained<&HmmAligner::train_hmm>, "threads"_a = 1,
           "One iteration under the hidden Markov model.")
      .def(
          "align",
          [](const HmmAligner& self, bool flipped, int threads) {
            Alignments found;
            nb::gil_scoped_release release;
            run_interruptibly([&](const std::atomic<bool>& stop) { found = self.align(flipped, threads, stop); });
            return found;
          },
          "flipped"_a = false, "threads"_a = 1,
          "The most probable alignment of every pair; with `flipped`, links are target and source.");
}

}  // namespace

void bind_alignment(nb::module_& m) {
  nb::enum_<Symmetrization>(m, "Symmetrization", "How two directions are joined.")
      .value("intersection", Symmetrization::intersection)
      .value("unite", Symmetrization::unite)
      .value("grow_diag", Symmetrization::grow_diag)
      .value("grow_diag_final", Symmetrization::grow_diag_final)
      .value("grow_diag_final_and", Symmetrization::grow_diag_final_and)
      .value("diag_and", Symmetrization::diag_and);

  nb::class_<Alignments>(m, "Alignments", "Links of many sentence pairs, sorted within each, none twice.")
      .def_static("from_arrays", &from_arrays, "source"_a, "target"_a, "offsets"_a,
                  "Pair i has the links source[k]-target[k] for k from offsets[i] to offsets[i + 1].")
      .def_static(
          "parse",
          [](nb::handle lines) {
            const Strings strings(lines);
            nb::gil_scoped_release release;
            return parse_pharaoh(strings.views());
          },
          "lines"_a, "Read Pharaoh format; ValueError(message, line) for anything else.")
      .def("format", &format_pharaoh, "Pharaoh format, one line per pair.")
      .def(
          "source", [](const Alignments& self) { return to_array(side(self, &Link::source)); },
          "Source positions of all links.")
      .def(
          "target", [](const Alignments& self) { return to_array(side(self, &Link::target)); },
          "Target positions of all links.")
      .def(
          "offsets", [](const Alignments& self) { return to_array(self.offsets); },
          "Where the links of each pair begin; one more than there are pairs.")
      .def("__len__", &Alignments::size);

  bind_hmm(m);
  m.def("symmetrize", &symmetrize, "forward"_a, "backward"_a, "how"_a, "threads"_a = 1,
        nb::call_guard<nb::gil_scoped_release>(), "Join the alignments of both directions pair by pair.");

  nb::class_<LexicalTable>(m, "LexicalTable", "Word translation probabilities; word -1 is NULL.")
      .def("probability", &LexicalTable::probability, "given"_a, "word"_a, "p(word | given); 0 if never seen.")
      .def("entries", &entries, "Arrays given, word, count, probability, ordered by given and word.")
      .def("__len__", &LexicalTable::size);
  m.def(
      "count_translations",
      [](const Array<WordId>& source, const Integers& source_offsets, const Array<WordId>& target,
         const Integers& target_offsets, const Alignments& alignments, bool to_null, int threads) {
        const WordNumbers f{span_of(source), span_of(source_offsets)};
        const WordNumbers e{span_of(target), span_of(target_offsets)};
        nb::gil_scoped_release release;
        LexicalTables tables = count_translations(f, e, alignments, to_null, threads);
        return std::pair(std::move(tables.target_given_source), std::move(tables.source_given_target));
      },
      "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a, "alignments"_a, "to_null"_a = false,
      "threads"_a = 1,
      "The tables p(target | source) and p(source | target) of an aligned corpus; with `to_null`, a word without "
      "link counts as translated by NULL.");
}

}  // namespace tunesmith::bind
