// Words that a link of a rule joins, one sparse feature for each pair (Watanabe et al. 2007, section 3.2.1).
#pragma once

#include "features/search/feature_kinds.hpp"
#include "features/structure/form_pair_feature.hpp"

namespace tunesmith {

// `link_pairs:s|t` counts the links between source word s and target word t in all rules of a derivation. A word
// that passes through is the pair of two unknown words.
class LinkPairs final : public FormPairFeature<SpanFeature> {
 public:
  // The arrays outlive the feature.
  LinkPairs(const RuleArrays& rules, HoldsForms forms) : FormPairFeature(std::move(forms), '|'), rules_(rules) {}

  std::string_view name() const override { return "link_pairs"; }
  bool of_rule() const override { return true; }
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;

 private:
  class Values;
  const RuleArrays& rules_;
};

extern const FeatureKind link_pairs_kind;

}  // namespace tunesmith
