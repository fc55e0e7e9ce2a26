#include "features/search/reordering/signed_distortion.hpp"

#include <charconv>
#include <new>

#include "features/search/reordering/orientations.hpp"

namespace tunesmith {
namespace {

constexpr std::uint64_t positive = 1, negative = 2;
constexpr std::int64_t zero = std::int64_t{1} << 32;  // the key of component 0; sentences are shorter

}  // namespace

template <class Visit>
void SignedDistortion::walk(std::int64_t component, Visit visit) {
  visit(static_cast<std::uint64_t>(zero + component));
  if (component != 0) visit(component > 0 ? positive : negative);
}

double SignedDistortion::sum(std::int64_t component) const {
  double sum = 0;
  walk(component, [&](std::uint64_t key) {
    const std::uint32_t id = ids_.find(key);
    if (id < weights_.size()) sum += weights_[id];
  });
  return sum;
}

void SignedDistortion::set_weights(std::span<const double> weights) {
  weights_ = weights;
  for (std::int64_t at = -near; at <= near; ++at) sums_[static_cast<std::size_t>(at + near)] = sum(at);
}

float SignedDistortion::place_score(const Combination& edge) const {
  if (!is_phrase(edge)) return 0;
  const std::int64_t found = component(edge);
  const bool is_near = found >= -near && found <= near;
  return static_cast<float>(is_near ? sums_[static_cast<std::size_t>(found + near)] : sum(found));
}

float SignedDistortion::score(const Combination& edge, std::byte* state, float*) const {
  new (state) std::uint32_t(is_phrase(edge) ? edge.application.end : 0u);
  return place_score(edge);
}

void SignedDistortion::list(const Combination& edge, SparseValues& out) const {
  if (is_phrase(edge)) walk(component(edge), [&](std::uint64_t key) { out.add(key, 1.0f); });
}

std::string SignedDistortion::detail(std::uint64_t key) const {
  if (key == positive) return "positive";
  return key == negative ? "negative" : std::to_string(static_cast<std::int64_t>(key) - zero);
}

std::optional<std::uint64_t> SignedDistortion::key(std::string_view detail) const {
  if (detail == "positive") return positive;
  if (detail == "negative") return negative;
  std::int32_t component = 0;
  const auto [rest, error] = std::from_chars(detail.data(), detail.data() + detail.size(), component);
  if (error != std::errc() || rest != detail.data() + detail.size() || std::to_string(component) != detail)
    return std::nullopt;
  return static_cast<std::uint64_t>(zero + component);
}

constinit const FeatureKind signed_distortion_kind{
    "signed_distortion", [](Growth growth) { return growth == Growth::by_coverage; },
    [](const FeatureInputs&) -> SearchFeature { return std::make_shared<SignedDistortion>(); }};

}  // namespace tunesmith
