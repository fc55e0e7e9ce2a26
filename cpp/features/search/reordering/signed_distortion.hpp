// Jumps between phrases with their direction, one sparse feature for each (Green et al. 2014, section 3.5).
#pragma once

#include <array>
#include <span>

#include "base/number_table.hpp"
#include "features/search/feature_kinds.hpp"
#include "features/search/target_bigrams.hpp"

namespace tunesmith {

// The components of their Eq. 4: the begin of the first phrase; e - b for a phrase that begins at source word b
// after one that ends before word e. Fires `signed_distortion:N` for each component N, 0 too, and
// `signed_distortion:positive` or `:negative` where it is not 0. The state is where the last phrase ends.
class SignedDistortion final : public SparseStateFeature, public ScoresPlaces {
 public:
  std::string_view name() const override { return "signed_distortion"; }
  std::size_t state_bytes() const override { return sizeof(std::uint32_t); }
  bool equal(const std::byte* a, const std::byte* b) const override { return end_of(a) == end_of(b); }
  std::uint64_t hash(const std::byte* state) const override { return end_of(state); }
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  float place_score(const Combination& edge) const override;
  void list(const Combination& edge, SparseValues& out) const override;
  void set_weights(std::span<const double> weights) override;

  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }

 private:
  // 0 before the first phrase; no phrase ends there.
  static std::uint32_t end_of(const std::byte* state) { return *reinterpret_cast<const std::uint32_t*>(state); }
  static constexpr std::int64_t near = 64;
  static std::int64_t component(const Combination& edge) {
    const std::int64_t end = end_of(edge.tails[0]), begin = edge.application.begin;
    return end == 0 ? begin : end - begin;
  }
  // Calls `visit(key)` for each feature of a component.
  template <class Visit>
  static void walk(std::int64_t component, Visit visit);
  double sum(std::int64_t component) const;

  NumberTable ids_;
  std::span<const double> weights_;
  std::array<double, 2 * near + 1> sums_{};  // of the weights of components from -near to near
};

extern const FeatureKind signed_distortion_kind;

}  // namespace tunesmith
