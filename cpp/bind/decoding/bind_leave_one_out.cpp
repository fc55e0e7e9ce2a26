#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/decoding/held_leave_one_out.hpp"
#include "bind/grammar/held_table.hpp"
#include "grammar/collection/counts.hpp"
#include "grammar/extraction/leave_one_out_counts.hpp"

namespace tunesmith::bind {
namespace {

// A finder together with the arrays it reads; the alignments are kept alive by Python.
struct HeldFinder {
  HeldFinder(WordIds source_ids, Integers source_begins, WordIds target_ids, Integers target_begins,
             const Alignments& alignments, const nb::dict& arrays, const LeaveOneOutFinder::Options& options)
      : source(std::move(source_ids)),
        target(std::move(target_ids)),
        source_offsets(std::move(source_begins)),
        target_offsets(std::move(target_begins)),
        table(arrays) {
    const nb::gil_scoped_release release;
    finder = std::make_unique<LeaveOneOutFinder>(numbers(source, source_offsets), numbers(target, target_offsets),
                                                 alignments, table.table, options);
  }

  WordIds source, target;
  Integers source_offsets, target_offsets;
  HeldArrays table;
  std::unique_ptr<LeaveOneOutFinder> finder;
};

void put(nb::dict& out, const char* name, PairCounts&& counts) {
  out[name] = array_tuple(std::move(counts.offsets), std::move(counts.ids), std::move(counts.counts));
}

ArrayDict find(const HeldFinder& self, std::size_t begin, std::size_t end) {
  LeaveOneOutCounts found = without_gil([&] { return self.finder->find(begin, end); });
  ArrayDict out;
  put(out, "rules", std::move(found.rules));
  put(out, "sides", std::move(found.sides));
  put(out, "targets", std::move(found.targets));
  out["made_pairs"] = to_array(std::move(found.made_pairs));
  out["made_rules"] = to_array(std::move(found.made_rules));
  out["missing"] = found.missing;
  return out;
}

}  // namespace

void bind_leave_one_out(nb::module_& m) {
  m.attr("COUNT_UNIT") = count_unit;
  nb::class_<HeldFinder>(m, "LeaveOneOutFinder", "Finds what each sentence pair gave to a rule table.")
      .def(
          "__init__",
          [](HeldFinder* self, const WordIds& source, const Integers& source_offsets, const WordIds& target,
             const Integers& target_offsets, const Alignments& alignments, const ArrayDict& table,
             std::optional<PhraseOptions> phrase, std::optional<HieroOptions> hiero, std::size_t source_words,
             int threads) {
            new (self) HeldFinder(source, source_offsets, target, target_offsets, alignments, table,
                                  {phrase, hiero, source_words, threads});
          },
          "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a, "alignments"_a, "table"_a,
          "phrase"_a.none(), "hiero"_a.none(), "source_words"_a, "threads"_a, nb::keep_alive<1, 6>(),
          nb::sig("def __init__(self, source: numpy.typing.NDArray[numpy.int32], "
                  "source_offsets: numpy.typing.NDArray[numpy.int64], "
                  "target: numpy.typing.NDArray[numpy.int32], "
                  "target_offsets: numpy.typing.NDArray[numpy.int64], alignments: Alignments, "
                  "table: dict[str, typing.Any], phrase: PhraseOptions | None, hiero: HieroOptions | None, "
                  "source_words: int, threads: int) -> None"))
      .def("find", &find, "begin"_a, "end"_a,
           "Offsets, numbers and counts of the rules, source sides and target sides of these pairs; see "
           "cpp/grammar/extraction/leave_one_out_counts.hpp.")
      .def(
          "target_numbers", [](const HeldFinder& self) { return to_array(self.finder->target_numbers()); },
          "For each rule the first one that has its target side.");

  nb::class_<HeldLeaveOneOut>(m, "LeaveOneOut", "What sentence pairs gave to a table, as search reads it.")
      .def(nb::init<const ArrayDict&, const HeldLeaveOneOut::Columns&>(), "arrays"_a, "columns"_a,
           "columns: of ln p(e|f) and ln p(f|e) in the feature matrix.");
}

}  // namespace tunesmith::bind
