#include "features/search/reordering/distortion.hpp"

#include <new>

#include "features/search/reordering/orientations.hpp"

namespace tunesmith {

float LinearDistortion::score(const Combination& edge, std::byte* state, float* dense) const {
  const bool phrase = is_phrase(edge);
  new (state) std::uint32_t(phrase ? edge.application.end : 0u);
  *dense = value(edge);
  return weight_ * *dense;
}

constinit const FeatureKind distortion_kind{
    "distortion", [](Growth growth) { return growth == Growth::by_coverage; },
    [](const FeatureInputs& inputs) -> SearchFeature {
      return std::make_shared<LinearDistortion>(inputs.number(inputs.name));
    }};

}  // namespace tunesmith
