#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/grammar/held_rules.hpp"
#include "features/rules/class_features.hpp"
#include "features/rules/compile.hpp"
#include "features/rules/lexical_penalty.hpp"
#include "features/rules/shape_features.hpp"
#include "features/rules/word_features.hpp"

namespace tunesmith::bind {
namespace {

// Features computed in Python, with the arrays they live in.
struct HeldFeatures {
  std::vector<std::string> names;
  Array<std::uint64_t> starts;
  Ids ids;
  Array<float> values;
};

using Dense = std::vector<std::tuple<std::string, std::string, std::size_t>>;
using Special = std::vector<std::tuple<std::string, std::uint32_t, float>>;

DenseColumn dense_column(const std::tuple<std::string, std::string, std::size_t>& given) {
  const auto& [name, kind, score] = given;
  if (kind == "log_score") return {name, DenseColumn::Kind::log_score, score};
  if (kind == "word_penalty") return {name, DenseColumn::Kind::word_penalty};
  if (kind == "rule_penalty") return {name, DenseColumn::Kind::rule_penalty};
  if (kind == "log_count") return {name, DenseColumn::Kind::log_count};
  if (kind == "singleton") return {name, DenseColumn::Kind::singleton};
  throw Error("no dense column is called " + kind);
}

auto compile(nb::handle_t<HeldRules> held_rules, const Dense& dense, const Special& special,
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
    plan.given.push_back(
        {features->names, span_of(features->starts), span_of(features->ids), span_of(features->values)});
  }
  for (const auto& [name, rule_template] : templates)
    if (rule_template == nullptr) throw Error("a template is missing");
  std::unique_ptr<FeatureMatrix> matrix;
  auto index = std::make_unique<HeldIndex>();
  without_gil([&] {
    CompiledFeatures compiled = compile_features(rules, plan, threads);
    matrix = std::make_unique<FeatureMatrix>(std::move(compiled.matrix));
    static_cast<FeatureIndex&>(*index) = std::move(compiled.names);
  });
  index->rules = nb::borrow(held_rules);
  return std::make_tuple(std::move(matrix), std::move(index));
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<HeldRules>(m, "RuleArrays", "The arrays of a rule table, for features.")
      .def(nb::init<const ArrayDict&, std::size_t, const Vocabulary&, const Vocabulary&>(), "arrays"_a,
           "score_columns"_a, "source_words"_a, "target_words"_a, nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());
  nb::class_<RuleTemplate>(m, "RuleTemplate", "A feature template of the core.");
  m.def("word_pair_template", &word_pair, "source"_a, "target"_a);
  m.def("target_unaligned_template", &target_unaligned, "words"_a);
  m.def("source_deletion_template", &source_deletion);
  m.def("lexical_alignment_template", &lexical_alignment, "more_than"_a);
  m.def("lexical_rule_template", &lexical_rule, "more_than"_a);
  nb::class_<WordLabels>(m, "WordLabels", "Classes of the words of a vocabulary.")
      .def(
          "__init__",
          [](WordLabels* self, std::vector<std::string> names, const Array<std::int32_t>& numbers) {
            new (self) WordLabels(std::move(names), copy_of(numbers));
          },
          "names"_a, "numbers"_a, "The names of classes, and the number of each word's class.");
  m.def("class_rule_template", &class_rule, "source"_a, "target"_a);
  m.def("class_alignment_template", &class_alignment, "source"_a, "target"_a);
  m.def("target_class_template", &target_class, "target"_a);
  m.def("source_class_deletion_template", &source_class_deletion, "source"_a);
  nb::enum_<PenalisedSide>(m, "PenalisedSide", "Whose words are counted.")
      .value("source", PenalisedSide::source)
      .value("target", PenalisedSide::target);
  m.def(
      "lexical_penalty_template",
      [](PenalisedSide side, const Array<std::uint64_t>& good_pairs) {
        return lexical_penalty(side, span_of(good_pairs));
      },
      "side"_a, "good_pairs"_a, "Words of a side without a good pair; pairs are source << 32 | target.");
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
          [](HeldFeatures* self, std::vector<std::string> names, Array<std::uint64_t> starts, Ids ids,
             Array<float> given) {
            new (self) HeldFeatures{std::move(names), std::move(starts), std::move(ids), std::move(given)};
          },
          "names"_a, "starts"_a, "ids"_a, "values"_a);
  m.def("compile_features", &compile, "rules"_a, "dense"_a, "special"_a, "templates"_a, "given"_a, "identity"_a,
        "on_demand"_a = false, "threads"_a = 1,
        "The feature matrix of a table, and the names of its columns. The index reads the arrays of the table.");
}

}  // namespace tunesmith::bind
