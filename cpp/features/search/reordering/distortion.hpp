// Linear distortion: how far the search jumps between one phrase and the next (Koehn et al. 2003).
#pragma once

#include "features/search/feature_kinds.hpp"

namespace tunesmith {

// One dense value: -|b - e| for a phrase that begins at source word b after one that ends in front of word e. The
// first phrase is after word 0; the jump to the end of the sentence costs nothing (as in Moses).
class LinearDistortion final : public StateFeature, public ScoresPlaces {
 public:
  // id: the number of the feature `distortion`.
  explicit LinearDistortion(std::uint32_t id) : id_(id) {}

  std::string_view name() const override { return "distortion"; }
  std::size_t state_bytes() const override { return sizeof(std::uint32_t); }
  bool equal(const std::byte* a, const std::byte* b) const override { return end_of(a) == end_of(b); }
  std::uint64_t hash(const std::byte* state) const override { return end_of(state); }
  float place_score(const Combination& edge) const override { return weight_ * value(edge); }
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  std::span<const std::uint32_t> dense_ids() const override { return {&id_, 1}; }
  void set_weights(std::span<const double> weights) override {
    weight_ = id_ < weights.size() ? static_cast<float>(weights[id_]) : 0.0f;
  }

 private:
  // The state: where the last phrase ends.
  static std::uint32_t end_of(const std::byte* state) { return *reinterpret_cast<const std::uint32_t*>(state); }
  static float value(const Combination& edge) {
    if (edge.side.join != Join::rule && edge.side.join != Join::unknown) return 0;
    const float jump = static_cast<float>(edge.application.begin) - static_cast<float>(end_of(edge.tails[0]));
    return jump > 0 ? -jump : jump;
  }

  std::uint32_t id_;
  float weight_ = 0;
};

extern const FeatureKind distortion_kind;

}  // namespace tunesmith
