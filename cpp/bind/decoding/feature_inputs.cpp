#include "bind/decoding/feature_inputs.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/decoding/python_function.hpp"
#include "decoding/search_kinds.hpp"

namespace tunesmith::bind {
namespace {

FeatureInput read_input(const std::string& name, const std::string& key, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<std::int64_t>(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<lm::Model>(value))
    return std::shared_ptr<const lm::Model>(std::shared_ptr<void>(), &nb::cast<const lm::Model&>(value));
  if (nb::isinstance<lm::ClassWords>(value))
    return std::shared_ptr<const lm::ClassWords>(std::shared_ptr<void>(), &nb::cast<const lm::ClassWords&>(value));
  if (Array<float> array; nb::try_cast(value, array, false)) return span_of(array);
  if (Array<std::uint64_t> array; nb::try_cast(value, array, false)) return span_of(array);
  if (std::vector<std::string> texts; nb::try_cast(value, texts)) return texts;
  throw Error(name + ": the core cannot read the setting " + key);
}

}  // namespace

PythonFunctions add_features(const std::vector<DescribedFeature>& features, const RuleArrays& rules,
                             FeatureIndex& index, const DecoderCall& decoder, DecoderModel& model) {
  PythonFunctions functions;
  for (const auto& [kind, name, values] : features) {
    if (kind == "python") {
      const auto& function = functions.emplace_back(std::make_shared<PythonFunction>(values["call"], decoder));
      model.add(std::make_shared<CalledSpanFeature>(
          name, [function](const SpanQuery& query) { return (*function)(query); }, rules));
      continue;
    }
    FeatureInputs inputs{
        name, {}, rules, model.search->growth, [&](std::string_view feature) { return index.add(feature); }};
    for (const auto& [key, value] : values) {
      const auto text = nb::cast<std::string>(key);
      inputs.values.emplace(text, read_input(name, text, value));
    }
    model.add(make_feature(kind, inputs));
  }
  return functions;
}

}  // namespace tunesmith::bind
