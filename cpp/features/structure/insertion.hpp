// Target words without a link, each with every source word (Watanabe et al. 2007, section 3.2.2).
#pragma once

#include "features/search/feature_kinds.hpp"
#include "features/structure/form_pair_feature.hpp"

namespace tunesmith {

// `insertion:s|t` counts the occurrences of s in the sentence times those of t, without a link, in the rules of
// its translation. Words that are not in the source vocabulary are <unk>.
class Insertion final : public FormPairFeature<SpanFeature> {
 public:
  // The arrays outlive the feature.
  Insertion(const RuleArrays& rules, HoldsForms forms) : FormPairFeature(std::move(forms), '|'), rules_(rules) {}

  std::string_view name() const override { return "insertion"; }
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;

 private:
  class Values;
  const RuleArrays& rules_;
};

extern const FeatureKind insertion_kind;

}  // namespace tunesmith
