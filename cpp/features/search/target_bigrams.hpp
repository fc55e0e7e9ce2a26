// Pairs of neighbouring target words, one sparse feature each.
#pragma once

#include <vector>

#include "features/search/feature_kinds.hpp"
#include "features/structure/form_pair_feature.hpp"

namespace tunesmith {

struct SparseStateFeature : StateFeature, SparseFeature {};

// `target_bigrams:a_b` counts how often b follows a, <s> and </s> included. Words that are not in the target
// vocabulary are <unk>.
class TargetBigrams final : public FormPairFeature<SparseStateFeature>,
                            public EstimatesSides,
                            public PreparesSides {
 public:
  // The vocabulary outlives the feature.
  TargetBigrams(const Vocabulary& words, HoldsForms forms)
      : FormPairFeature(std::move(forms), '_'), words_(words) {}

  std::size_t state_bytes() const override { return sizeof(Borders); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  std::unique_ptr<SentenceMemory> start(const Sentence& sentence) const override;
  float estimate(const Sentence& sentence, const TargetSide& side, SentenceMemory* memory) const override;
  float most_estimate(std::size_t symbols, SentenceMemory* memory) const override;
  std::size_t prepared_bytes() const override { return sizeof(Own); }
  void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
               std::byte* prepared) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;

  std::string_view name() const override { return "target_bigrams"; }
  void list(const Combination& edge, SparseValues& out) const override;
  void number(std::uint64_t key, std::uint32_t id) override {
    FormPairFeature::number(key, id);
    numbers_.push_back(id);
  }

 private:
  // The first and the last word of a part, both `none` if it has no words.
  struct Borders {
    std::uint32_t first, last;
  };
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  // A side of words alone, which may follow one gap: its borders, and the sum of the weights between its words.
  struct Own {
    bool is_whole;     // otherwise there is nothing but this
    std::int32_t gap;  // 0 if there is none
    Borders borders;
    double sum;
  };

  class Memory;
  static Memory& memory_of(SentenceMemory* memory);
  // The sum of the weights of two words, computed once for as long as the memory lasts.
  double sum_of(Memory& memory, std::uint32_t a, std::uint32_t b) const;
  // Calls `visit(a, b)` for each pair of words that the edge makes; returns the borders of what it covers.
  template <class Visit>
  Borders walk(const Sentence& sentence, const TargetSide& side, const std::byte* const* tails, Visit visit) const;

  const Vocabulary& words_;
  std::vector<std::uint32_t> numbers_;  // of the features that have one
};

extern const FeatureKind target_bigrams_kind;

}  // namespace tunesmith
