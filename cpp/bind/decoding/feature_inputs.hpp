// Features of the search as Python describes them.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "bind/convert.hpp"
#include "bind/decoding/python_function.hpp"
#include "bind/grammar/held_rules.hpp"
#include "decoding/model.hpp"
#include "features/feature_index.hpp"

namespace tunesmith::bind {

// The kind of a feature, its name, and its inputs: settings, arrays of float32, language models.
using DescribedFeature = std::tuple<std::string, std::string, ArrayDict>;

using PythonFunctions = std::vector<std::shared_ptr<PythonFunction>>;

// Adds the features to the model, in order; the index gets their names. Rules, arrays and models are read where
// they are: who calls this keeps them. The kind `python` is a span feature by a function, its input `call`; the
// functions are returned.
PythonFunctions add_features(const std::vector<DescribedFeature>& features, const RuleArrays& rules,
                             FeatureIndex& index, const DecoderCall& decoder, DecoderModel& model);

}  // namespace tunesmith::bind
