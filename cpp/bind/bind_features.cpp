#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "bind/held_rules.hpp"
#include "features/compile.hpp"
#include "features/shape_features.hpp"
#include "features/word_features.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::str to_str(std::string_view text) {
  return nb::str(text.data(), text.size());
}

// The bytes of a string that lives as long as the caller's; lone surrogates are no text.
std::string_view text_of(nb::str text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) nb::raise_python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

using Index = HeldIndex;

// Features computed in Python, with the arrays they live in.
struct HeldFeatures {
  std::vector<std::string> names;
  Values<std::uint64_t> starts;
  Values<std::uint32_t> ids;
  Values<float> values;
};

using Dense = std::vector<std::tuple<std::string, std::string, std::size_t>>;
using Special = std::vector<std::tuple<std::string, std::uint32_t, float>>;

DenseColumn dense_column(const std::tuple<std::string, std::string, std::size_t>& given) {
  const auto& [name, kind, score] = given;
  if (kind == "log_score") return {name, DenseColumn::Kind::log_score, score};
  if (kind == "word_penalty") return {name, DenseColumn::Kind::word_penalty};
  if (kind == "rule_penalty") return {name, DenseColumn::Kind::rule_penalty};
  throw Error("no dense column is called " + kind);
}

nb::object compile(nb::object held_rules, const Dense& dense, const Special& special,
                   const std::vector<std::pair<std::string, const RuleTemplate*>>& templates,
                   const std::vector<const HeldFeatures*>& given, bool identity, bool on_demand, int threads) {
  const auto& rules = nb::cast<const HeldRules&>(held_rules);
  FeaturePlan plan;
  plan.identity = identity;
  plan.on_demand = on_demand;
  plan.owner = rules.owner();
  plan.templates = templates;
  for (const auto& column : dense) plan.dense.push_back(dense_column(column));
  for (const auto& [name, rule, value] : special) {
    if (rule >= static_cast<std::uint32_t>(SpecialRule::count)) throw Error("there is no such special rule");
    plan.special.push_back({name, static_cast<SpecialRule>(rule), value});
  }
  for (const HeldFeatures* features : given) {
    if (features == nullptr) throw Error("features that are given are missing");
    plan.given.push_back({features->names,
                          {features->starts.data(), features->starts.size()},
                          {features->ids.data(), features->ids.size()},
                          {features->values.data(), features->values.size()}});
  }
  for (const auto& [name, rule_template] : templates)
    if (rule_template == nullptr) throw Error("a template is missing");
  std::unique_ptr<FeatureMatrix> matrix;
  auto index = std::make_unique<Index>();
  {
    nb::gil_scoped_release release;
    CompiledFeatures compiled = compile_features(rules, plan, threads);
    matrix = std::make_unique<FeatureMatrix>(std::move(compiled.matrix));
    static_cast<FeatureIndex&>(*index) = std::move(compiled.names);
  }
  index->rules = held_rules;
  return nb::make_tuple(nb::cast(std::move(matrix)), nb::cast(std::move(index)));
}

FeatureMatrix* new_matrix(void* place, const FloatRows& dense, const Values<std::uint64_t>& starts,
                          const Values<std::uint32_t>& ids, const Values<float>& values, std::size_t columns,
                          std::size_t identity_rows) {
  const auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.size()); };
  FeatureMatrix::Parts parts;
  parts.rows = dense.shape(0);
  parts.dense_columns = dense.shape(1);
  parts.columns = columns;
  parts.dense = copy(dense);
  parts.starts = copy(starts);
  parts.ids = copy(ids);
  parts.values = copy(values);
  parts.identity_rows = identity_rows;
  return new (place) FeatureMatrix(std::move(parts));
}

void bind_matrix(nb::module_& m) {
  nb::class_<FeatureMatrix>(m, "FeatureMatrix",
                            "Features of every rule: dense block, sparse part, identity block.")
      .def(
          "__init__",
          [](FeatureMatrix* self, const FloatRows& dense, const Values<std::uint64_t>& starts,
             const Values<std::uint32_t>& ids, const Values<float>& values, std::size_t columns,
             std::size_t identity_rows) { new_matrix(self, dense, starts, ids, values, columns, identity_rows); },
          "dense"_a, "starts"_a, "ids"_a, "values"_a, "columns"_a, "identity_rows"_a = 0,
          "A copy of these parts; `columns` counts the dense and the sparse ones.")
      .def_prop_ro("rows", &FeatureMatrix::rows)
      .def_prop_ro("columns", &FeatureMatrix::columns)
      .def_prop_ro("dense_columns", &FeatureMatrix::dense_columns)
      .def_prop_ro("identity_rows", [](const FeatureMatrix& self) { return self.parts().identity_rows; })
      .def(
          "same", [](const FeatureMatrix& self, const FeatureMatrix& other) { return self.same(other); },
          "other"_a, nb::call_guard<nb::gil_scoped_release>(), "Whether all values are the same.")
      .def_prop_ro("nonzeros", &FeatureMatrix::nonzeros, "Stored values of the sparse part.")
      .def_prop_ro("bytes", &FeatureMatrix::bytes, "Memory of the arrays.")
      .def(
          "scores",
          [](const FeatureMatrix& self, const Values<double>& weights, int threads) {
            std::vector<double> out(self.rows());
            {
              nb::gil_scoped_release release;
              self.scores({weights.data(), weights.size()}, threads, std::span<double>(out));
            }
            return to_array(std::move(out));
          },
          "weights"_a, "threads"_a = 1, "F · w, one number for every row.")
      .def(
          "scores_of",
          [](const FeatureMatrix& self, const Values<std::uint32_t>& rows, const Values<double>& weights) {
            std::vector<double> out(rows.size());
            {
              nb::gil_scoped_release release;
              self.scores({rows.data(), rows.size()}, {weights.data(), weights.size()}, out);
            }
            return to_array(std::move(out));
          },
          "rows"_a, "weights"_a, "F · w for these rows.")
      .def(
          "row",
          [](const FeatureMatrix& self, std::size_t row) {
            if (row >= self.rows()) throw Error("row " + std::to_string(row) + " is not there");
            std::vector<std::uint32_t> ids;
            std::vector<float> found;
            self.visit_row(row, [&](std::uint32_t id, float value) {
              ids.push_back(id);
              found.push_back(value);
            });
            return nb::make_tuple(to_array(std::move(ids)), to_array(std::move(found)));
          },
          "row"_a,
          nb::sig("def row(self, row: int) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.float32]]"),
          "Numbers and values of the features of one row that are not zero; numbers rise.")
      .def(
          "combine",
          [](const FeatureMatrix& self, const Values<std::uint32_t>& rows, const Values<double>& coefficients) {
            if (rows.size() != coefficients.size()) throw Error("there must be one coefficient for every row");
            std::vector<double> out(self.columns());
            {
              nb::gil_scoped_release release;
              for (std::size_t i = 0; i < rows.size(); ++i) {
                if (rows(i) >= self.rows()) throw Error("row " + std::to_string(rows(i)) + " is not there");
                self.add_row(rows(i), coefficients(i), out);
              }
            }
            return to_array(std::move(out));
          },
          "rows"_a, "coefficients"_a, "The sum of coefficient × row over these rows.")
      .def(
          "firing_rows", [](const FeatureMatrix& self) { return to_array(self.firing_rows()); },
          "In how many rows each column in front of the identity block is not zero.")
      .def(
          "rows_firing",
          [](const FeatureMatrix& self, const Values<std::uint8_t>& chosen) {
            nb::gil_scoped_release release;
            return self.rows_firing({chosen.data(), chosen.size()});
          },
          "chosen"_a, "In how many rows at least one of the columns marked 1 is not zero.")
      .def(
          "sparse",
          [](const FeatureMatrix& self) {
            const auto& parts = self.parts();
            std::vector<std::uint64_t> starts(parts.plain_rows);
            starts.insert(starts.end(), parts.starts.begin(), parts.starts.end());
            return nb::make_tuple(to_array(std::move(starts)), to_array(std::vector(parts.ids)),
                                  to_array(std::vector(parts.values)));
          },
          nb::sig("def sparse(self) -> tuple[numpy.typing.NDArray[numpy.uint64], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]"),
          "A copy of the sparse part: starts, ids, values.");
}

void bind_names(nb::module_& m) {
  nb::class_<WeightTable>(m, "WeightTable", "Named weights.")
      .def(nb::init<>())
      .def_static(
          "parse",
          [](nb::bytes text) {
            nb::gil_scoped_release release;
            return WeightTable::parse({text.c_str(), text.size()});
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
      .def("values", [](const WeightTable& self) { return to_array(std::vector(self.values())); })
      .def("format", [](const WeightTable& self) {
        std::string text;
        {
          nb::gil_scoped_release release;
          text = self.format();
        }
        return nb::bytes(text.data(), text.size());
      });

  nb::class_<Index>(m, "FeatureIndex", "Names of features ↔ numbers.")
      .def(nb::init<>())
      .def("__len__",
           [](const Index& self) {
             const std::shared_lock lock(self.mutex);
             return self.size();
           })
      .def(
          "add",
          [](Index& self, nb::str name) {
            const std::unique_lock lock(self.mutex);
            return self.add(text_of(name));
          },
          "name"_a, "The number of the feature, new or not.")
      .def(
          "find",
          [](const Index& self, nb::str name) {
            const std::shared_lock lock(self.mutex);
            return self.find(text_of(name));
          },
          "name"_a, "The number of the feature, or None.")
      .def(
          "with_prefix",
          [](const Index& self, nb::str prefix) {
            const std::string text(text_of(prefix));
            std::vector<std::int64_t> found;
            {
              nb::gil_scoped_release release;
              const std::shared_lock lock(self.mutex);
              found = self.with_prefix(text);
            }
            return to_array(std::move(found));
          },
          "prefix"_a, "The numbers of all features whose names begin so.")
      .def(
          "name",
          [](const Index& self, std::uint32_t id) {
            const std::shared_lock lock(self.mutex);
            return to_str(self.name(id));
          },
          "id"_a, "The name of the feature with this number.")
      .def(
          "rule_block",
          [](const Index& self) {
            const std::shared_lock lock(self.mutex);
            const auto [begin, end] = self.rule_block();
            return nb::make_tuple(begin, end);
          },
          nb::sig("def rule_block(self) -> tuple[int, int]"),
          "The first number of the rules of the table, and the one behind the last.")
      .def(
          "resolve",
          [](const Index& self, const WeightTable& weights, int threads) {
            std::vector<std::int64_t> ids;
            {
              nb::gil_scoped_release release;
              const std::shared_lock lock(self.mutex);
              ids = self.resolve(weights, threads);
            }
            return to_array(std::move(ids));
          },
          "weights"_a, "threads"_a = 1, "The number of each named weight, -1 for unknown names.")
      .def(
          "weights",
          [](const Index& self, const Values<std::uint32_t>& ids, const Values<double>& given) {
            if (ids.size() != given.size()) throw Error("there must be one weight for every feature");
            WeightTable table;
            {
              nb::gil_scoped_release release;
              const std::shared_lock lock(self.mutex);
              for (std::size_t i = 0; i < ids.size(); ++i) table.add(self.name(ids(i)), given(i));
            }
            return table;
          },
          "ids"_a, "values"_a, "These features with their names.");
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<HeldRules>(m, "RuleArrays", "The arrays of a rule table, for features.")
      .def(nb::init<const nb::dict&, std::size_t, const Vocabulary&, const Vocabulary&>(), "arrays"_a,
           "score_columns"_a, "source_words"_a, "target_words"_a, nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
           nb::sig("def __init__(self, arrays: dict[str, typing.Any], score_columns: int, "
                   "source_words: Vocabulary, target_words: Vocabulary) -> None"));
  nb::class_<RuleTemplate>(m, "RuleTemplate", "A feature template of the core.");
  m.def("word_pair_template", &word_pair, "source"_a, "target"_a);
  m.def("target_unaligned_template", &target_unaligned, "words"_a);
  m.def("lexical_alignment_template", &lexical_alignment, "more_than"_a);
  m.def("lexical_rule_template", &lexical_rule, "more_than"_a);
  nb::enum_<Dimension>(m, "Dimension", "Whose words are counted.")
      .value("source", Dimension::source)
      .value("target", Dimension::target)
      .value("both", Dimension::both);
  m.def("dimension_template", &dimension, "which"_a);
  m.def("length_bin_template", &length_bin, "longest"_a);
  m.def("count_bin_template", &count_bin, "bounds"_a);

  nb::class_<HeldFeatures>(m, "GivenFeatures", "Features of every rule that were computed in Python.")
      .def(
          "__init__",
          [](HeldFeatures* self, std::vector<std::string> names, Values<std::uint64_t> starts,
             Values<std::uint32_t> ids, Values<float> given) {
            new (self) HeldFeatures{std::move(names), std::move(starts), std::move(ids), std::move(given)};
          },
          "names"_a, "starts"_a, "ids"_a, "values"_a);
  bind_matrix(m);
  bind_names(m);
  m.def("compile_features", &compile, "rules"_a, "dense"_a, "special"_a, "templates"_a, "given"_a, "identity"_a,
        "on_demand"_a = false, "threads"_a = 1,
        nb::sig("def compile_features(rules: RuleArrays, dense: collections.abc.Sequence[tuple[str, str, int]], "
                "special: collections.abc.Sequence[tuple[str, int, float]], "
                "templates: collections.abc.Sequence[tuple[str, RuleTemplate]], "
                "given: collections.abc.Sequence[GivenFeatures], identity: bool, on_demand: bool = False, "
                "threads: int = 1) -> "
                "tuple[FeatureMatrix, FeatureIndex]"),
        "The feature matrix of a table, and the names of its columns. The index reads the arrays of the table.");
}

}  // namespace tunesmith::bind
