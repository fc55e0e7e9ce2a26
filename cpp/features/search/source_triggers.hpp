// Pairs of a source word anywhere in the sentence and a target word, one sparse feature each.
#pragma once

#include "features/search/feature_kinds.hpp"
#include "features/search/word_pair_feature.hpp"

namespace tunesmith {

// `source_triggers:s|e` counts how often the target word e is written in the translation of a sentence that has
// the source word s, be it once or more often (Mauser et al. 2009). Words that are not in the vocabularies fire
// nothing.
//
// The score of a target word depends on nothing but the sentence: it is summed up once for each target word of a
// sentence.
class SourceTriggers final : public WordPairFeature<SpanFeature> {
 public:
  // The vocabularies outlive the feature.
  SourceTriggers(const Vocabulary& source, const Vocabulary& target)
      : WordPairFeature(source, target, '|'), target_(target) {}

  std::string_view name() const override { return "source_triggers"; }
  bool of_sentence() const override { return true; }
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;
  // Unknown words fire nothing, so they have no key.
  std::optional<std::uint64_t> key(std::string_view detail) const override;

 private:
  class Values;
  const Vocabulary& target_;
};

extern const FeatureKind source_triggers_kind;

}  // namespace tunesmith
