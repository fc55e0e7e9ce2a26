// The features that a search can compute, by name.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "features/search/feature_inputs.hpp"
#include "features/search/span_feature.hpp"
#include "features/search/state_feature.hpp"

namespace tunesmith {

using SearchFeature = std::variant<std::shared_ptr<StateFeature>, std::shared_ptr<SpanFeature>>;

struct FeatureKind {
  std::string_view name;
  bool (*serves)(Growth growth);
  // Throws Error for inputs that do not fit.
  SearchFeature (*make)(const FeatureInputs& inputs);
};

// All of them. A new feature is one file and one entry of this list.
std::span<const FeatureKind> feature_kinds();

// Throws Error if there is none of this name, or if it cannot be used in a search that grows so.
SearchFeature make_feature(std::string_view kind, const FeatureInputs& inputs);

inline bool serves_all(Growth) {
  return true;
}

}  // namespace tunesmith
