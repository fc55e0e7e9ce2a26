// Penalties for going back to a gap that was left open (Watanabe et al. 2006).
#pragma once

#include <array>

#include "features/search/feature_kinds.hpp"

namespace tunesmith {

// Of each rule with two gaps, the part that is translated first is left when the second gap is taken up: two dense
// values add up its height (rules on the longest way from its top to a rule without gaps) and its width in source
// words. Glue leaves nothing.
//
// In search by spans the state is height and width of a part. Searches that append know the width when a part is
// begun, and the height when the next one is: the state is a number of the sentence's memory for the open gaps.
class Backtrack final : public StateFeature {
 public:
  // ids: the numbers of the features `backtrack:height` and `backtrack:width`. The arrays outlive the feature.
  Backtrack(const RuleArrays& rules, std::array<std::uint32_t, 2> ids, bool appends)
      : rules_(rules), ids_(ids), appends_(appends) {}

  std::string_view name() const override { return "backtrack"; }
  std::size_t state_bytes() const override { return sizeof(State); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  std::unique_ptr<SentenceMemory> start(const Sentence& sentence) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  std::span<const std::uint32_t> dense_ids() const override { return ids_; }
  void set_weights(std::span<const double> weights) override;

 private:
  // State of a part; or the open gaps and 0.
  struct State {
    std::uint32_t height_or_open, width;
  };
  // What the edge adds.
  struct Left {
    std::uint32_t height = 0, width = 0;
  };
  static const State& state_of(const std::byte* state) { return *reinterpret_cast<const State*>(state); }
  static State join_parts(const Combination& edge, Left& left);
  State take_gap(const Combination& edge, Left& left) const;

  const RuleArrays& rules_;
  std::array<std::uint32_t, 2> ids_;
  bool appends_;
  std::array<double, 2> weights_{};
};

extern const FeatureKind backtrack_kind;

}  // namespace tunesmith
