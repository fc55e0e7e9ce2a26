#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "bind/grammar/held_table.hpp"
#include "grammar/tables/join_rules.hpp"
#include "grammar/tables/moses_reader.hpp"
#include "grammar/tables/moses_writer.hpp"

namespace tunesmith::bind {

void bind_rule_tables(nb::module_& m) {
  using Reader = Guarded<MosesReader>;
  nb::class_<Reader>(m, "MosesReader", "Reads a phrase or rule table in the text format of Moses.")
      .def(nb::init<bool>(), "hiero"_a)
      .def(
          "add",
          [](Reader& self, nb::handle lines) {
            const Strings strings(lines);
            locked(self, [&] { self.add(strings.views()); });
          },
          "lines"_a, "Take lines in; ValueError(message, line), counted from 1, for what is wrong.")
      .def(
          "write",
          [](Reader& self, const std::string& folder) { return locked(self, [&] { return self.write(folder); }); },
          "folder"_a, "Write the arrays, sorted; the vocabularies of both sides.")
      .def("__len__", [](const Reader& self) { return self.size(); })
      .def_prop_ro("scores", [](const Reader& self) { return self.scores(); })
      .def_prop_ro("counts", [](const Reader& self) { return self.counts(); })
      .def_prop_ro("label", [](const Reader& self) { return self.label(); })
      .def_prop_ro("dropped", [](const Reader& self) { return self.dropped(); })
      .def_prop_ro("gaps", [](const Reader& self) { return self.gaps(); }, "Lines with a gap.");
  nb::class_<MosesStyle>(m, "MosesStyle", "How a text table is written.")
      .def(nb::init<>())
      .def_rw("hiero", &MosesStyle::hiero)
      .def_rw("scores", &MosesStyle::scores)
      .def_rw("counts", &MosesStyle::counts)
      .def_rw("label", &MosesStyle::label)
      .def_rw("escape", &MosesStyle::escape);
  m.def(
      "format_moses",
      [](const ArrayDict& arrays, const Vocabulary& source, const Vocabulary& target, const MosesStyle& style,
         std::size_t begin, std::size_t end) {
        const HeldArrays held(arrays);
        return to_str(without_gil([&] { return format_moses(held.table, source, target, style, begin, end); }));
      },
      "arrays"_a, "source"_a, "target"_a, "style"_a, "begin"_a, "end"_a,
      "The lines of the rules of these source sides, as one text.");

  m.def(
      "join_rules",
      [](const ArrayDict& first, const ArrayDict& second, const Array<Symbol>& source_words,
         const Array<Symbol>& target_words) {
        const HeldArrays one(first), two(second);
        JoinedRules joined = without_gil(
            [&] { return join_rules(one.table, two.table, span_of(source_words), span_of(target_words)); });
        return array_tuple(std::move(joined.first_sides), std::move(joined.second_sides),
                           std::move(joined.rule_ends), std::move(joined.first_rules),
                           std::move(joined.second_rules));
      },
      "first"_a, "second"_a, "source_words"_a, "target_words"_a,
      "Source sides and rules of two tables, each once: sides of the first, of the second, ends of their rules, "
      "rules of the first, of the second; -1 where there is none.");
}

}  // namespace tunesmith::bind
