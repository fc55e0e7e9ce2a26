#include <nanobind/stl/optional.h>

#include "bind/grammar/held_rules.hpp"
#include "features/weight_table.hpp"

namespace tunesmith::bind {

void bind_feature_names(nb::module_& m) {
  nb::class_<WeightTable>(m, "WeightTable", "Named weights.")
      .def(nb::init<>())
      .def_static(
          "parse",
          [](nb::bytes text) {
            const std::string_view view = text_of(text);
            return without_gil([&] { return WeightTable::parse(view); });
          },
          "text"_a, "Read name TAB value lines; ValueError(message, line) for what is wrong.")
      .def(
          "add", [](WeightTable& self, nb::str name, double value) { self.add(text_of(name), value); }, "name"_a,
          "value"_a)
      .def("__len__", &WeightTable::size)
      .def_prop_ro("header", [](const WeightTable& self) { return to_str(self.header()); })
      .def(
          "name",
          [](const WeightTable& self, std::size_t at) {
            if (at >= self.size()) throw Error("weight " + std::to_string(at) + " is not there");
            return to_str(self.name(at));
          },
          "at"_a)
      .def(
          "find",
          [](const WeightTable& self, nb::str name) -> std::optional<std::size_t> {
            const WordId found = self.find(text_of(name));
            if (found == WordTable::none) return std::nullopt;
            return static_cast<std::size_t>(found);
          },
          "name"_a)
      .def("values", [](const WeightTable& self) { return to_array(self.values()); })
      .def("format", [](const WeightTable& self) { return to_bytes(without_gil([&] { return self.format(); })); });

  nb::class_<HeldIndex>(m, "FeatureIndex", "Names of features ↔ numbers.")
      .def(nb::init<>())
      .def("__len__",
           [](const HeldIndex& self) {
             const std::shared_lock lock(self.mutex);
             return self.size();
           })
      .def(
          "add",
          [](HeldIndex& self, nb::str name) {
            const std::unique_lock lock(self.mutex);
            return self.add(text_of(name));
          },
          "name"_a, "The number of the feature, new or not.")
      .def(
          "find",
          [](const HeldIndex& self, nb::str name) {
            const std::shared_lock lock(self.mutex);
            return self.find(text_of(name));
          },
          "name"_a, "The number of the feature, or None.")
      .def(
          "with_prefix",
          [](const HeldIndex& self, nb::str prefix) {
            const std::string text(text_of(prefix));
            return to_array(locked(self, [&] { return self.with_prefix(text); }));
          },
          "prefix"_a, "The numbers of all features whose names begin so.")
      .def(
          "name",
          [](const HeldIndex& self, std::uint32_t id) {
            const std::shared_lock lock(self.mutex);
            return to_str(self.name(id));
          },
          "id"_a, "The name of the feature with this number.")
      .def(
          "rule_block",
          [](const HeldIndex& self) {
            const std::shared_lock lock(self.mutex);
            const auto [begin, end] = self.rule_block();
            return std::make_tuple(begin, end);
          },
          "The first number of the rules of the table, and the one after the last.")
      .def(
          "resolve",
          [](const HeldIndex& self, const WeightTable& weights, int threads) {
            return to_array(locked(self, [&] { return self.resolve(weights, threads); }));
          },
          "weights"_a, "threads"_a = 1, "The number of each named weight, -1 for unknown names.")
      .def(
          "weights",
          [](const HeldIndex& self, const Ids& ids, const Doubles& given) {
            if (ids.size() != given.size()) throw Error("there must be one weight for every feature");
            return locked(self, [&] {
              WeightTable table;
              for (std::size_t i = 0; i < ids.size(); ++i) table.add(self.name(ids(i)), given(i));
              return table;
            });
          },
          "ids"_a, "values"_a, "These features with their names.");
}

}  // namespace tunesmith::bind
