// Pairs of a source word anywhere in the sentence and a target word, one sparse feature each.
#pragma once

#include "features/word_pair_feature.hpp"

namespace tunesmith {

// `source_triggers:s|e` counts how often the target word e is written in the translation of a sentence that has
// the source word s, be it once or more often (Mauser et al. 2009). Words that are not in the vocabularies fire
// nothing.
//
// What a target word is worth depends on nothing but the sentence, so there is no state to recombine by, and a sum
// is made once for each target word of a sentence.
class SourceTriggers final : public WordPairFeature {
 public:
  SourceTriggers(std::shared_ptr<const Vocabulary> source, std::shared_ptr<const Vocabulary> target)
      : WordPairFeature(std::move(source), target, '|'), target_(std::move(target)) {}

  bool serves(SearchOrder) const override { return true; }
  std::size_t state_bytes() const override { return 0; }
  bool equal(const std::byte*, const std::byte*) const override { return true; }
  std::uint64_t hash(const std::byte*) const override { return 0; }
  // Options are ranked once for all sentences.
  float estimate(const Sentence&, const TargetSide&) const override { return 0; }
  float most_estimate() const override { return 0; }
  bool looks_at_places() const override { return true; }
  float place_score(const Combination& edge) const override;
  float score(const Combination& edge, std::byte*, float*) const override { return place_score(edge); }

  std::string_view name() const override { return "source_triggers"; }
  void list(const Combination& edge, SparseValues& out) const override;
  // Unknown words fire nothing, so they have no key.
  std::optional<std::uint64_t> key(std::string_view detail) const override;

 private:
  // Calls `visit(word)` for each word of the side that the target vocabulary has.
  template <class Visit>
  void for_each_target(const Combination& edge, Visit visit) const;
  double weight_of_word(const Sentence& sentence, std::uint32_t word) const;

  std::shared_ptr<const Vocabulary> target_;
};

}  // namespace tunesmith
