// Source words of a rule and of the rule that is put into its gap (Watanabe et al. 2007, section 3.2.4).
#pragma once

#include "features/search/feature_kinds.hpp"
#include "features/search/target_bigrams.hpp"
#include "features/structure/form_pair_feature.hpp"

namespace tunesmith {

// `parent_child:p|c` counts the pairs of a source word p with a link in a rule and a source word c with a link in
// a rule that covers one of its gaps. A word that passes through is <unk>. Glue has no words.
//
// The state is a number of the sentence's memory: in search by spans the linked words of the rule on top, in
// searches that append those of the rules with gaps that are still open, in order.
class ParentChild final : public FormPairFeature<SparseStateFeature> {
 public:
  // The arrays outlive the feature.
  ParentChild(const RuleArrays& rules, HoldsForms forms, bool appends)
      : FormPairFeature(std::move(forms), '|'), rules_(rules), appends_(appends) {}

  std::string_view name() const override { return "parent_child"; }
  std::size_t state_bytes() const override { return sizeof(std::uint32_t); }
  bool equal(const std::byte* a, const std::byte* b) const override { return number_of(a) == number_of(b); }
  std::uint64_t hash(const std::byte* state) const override { return number_of(state); }
  std::unique_ptr<SentenceMemory> start(const Sentence& sentence) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  void list(const Combination& edge, SparseValues& out) const override;

 private:
  class Memory;
  static std::uint32_t number_of(const std::byte* state) { return *reinterpret_cast<const std::uint32_t*>(state); }
  // Calls `visit(parent, child)` with the sets of words of each rule and a rule put into it; returns the state.
  template <class Visit>
  std::uint32_t walk(const Combination& edge, Visit visit) const;

  const RuleArrays& rules_;
  bool appends_;
};

extern const FeatureKind parent_child_kind;

}  // namespace tunesmith
