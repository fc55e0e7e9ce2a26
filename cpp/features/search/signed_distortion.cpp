#include "features/search/signed_distortion.hpp"

#include <charconv>
#include <new>

#include "features/search/orientations.hpp"

namespace tunesmith {
namespace {

constexpr std::uint64_t positive = 1, negative = 2;
constexpr std::int64_t zero = std::int64_t{1} << 32;  // the key of component 0; sentences are shorter

}  // namespace

template <class Visit>
void SignedDistortion::walk(const Combination& edge, Visit visit) {
  if (!is_phrase(edge)) return;
  const std::int64_t end = end_of(edge.tails[0]), begin = edge.application.begin;
  const std::int64_t component = end == 0 ? begin : end - begin;
  visit(static_cast<std::uint64_t>(zero + component));
  if (component != 0) visit(component > 0 ? positive : negative);
}

float SignedDistortion::place_score(const Combination& edge) const {
  double sum = 0;
  walk(edge, [&](std::uint64_t key) {
    const std::uint32_t id = ids_.find(key);
    if (id < weights_.size()) sum += weights_[id];
  });
  return static_cast<float>(sum);
}

float SignedDistortion::score(const Combination& edge, std::byte* state, float*) const {
  new (state) std::uint32_t(is_phrase(edge) ? edge.application.end : 0u);
  return place_score(edge);
}

void SignedDistortion::list(const Combination& edge, SparseValues& out) const {
  walk(edge, [&](std::uint64_t key) { out.add(key, 1.0f); });
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
