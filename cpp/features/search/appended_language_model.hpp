// A language model as a feature of search from left to right.
#pragma once

#include "features/search/feature_kinds.hpp"
#include "features/search/language_model.hpp"
#include "lm/append.hpp"

namespace tunesmith {

// The value of LanguageModelFeature for edges that append a phrase to one tail: `[tail] words`. Each phrase is
// scored once by itself; after a tail only the words that see it are examined. The state is what the last words
// leave, so hypotheses are joined as early as the model allows.
class AppendedLanguageModel final : public StateFeature, public EstimatesSides, public PreparesSides {
 public:
  // The arguments of LanguageModelFeature.
  AppendedLanguageModel(std::string name, std::shared_ptr<const lm::Model> model, const Vocabulary& words,
                        std::uint32_t id, std::shared_ptr<const lm::ClassWords> classes = nullptr)
      : whole_(std::move(name), model, words, id, std::move(classes)), model_(std::move(model)), id_(id) {}

  std::string_view name() const override { return whole_.name(); }
  std::size_t state_bytes() const override { return sizeof(lm::State); }
  bool equal(const std::byte* a, const std::byte* b) const override { return state_of(a) == state_of(b); }
  std::uint64_t hash(const std::byte* state) const override { return state_of(state).hash(); }
  float estimate(const Sentence& sentence, const TargetSide& side, SentenceMemory* memory) const override {
    return whole_.estimate(sentence, side, memory);
  }
  float most_estimate(std::size_t symbols, SentenceMemory* memory) const override {
    return whole_.most_estimate(symbols, memory);
  }
  std::size_t prepared_bytes() const override { return sizeof(Phrase); }
  void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
               std::byte* prepared) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  std::span<const std::uint32_t> dense_ids() const override { return {&id_, 1}; }
  void set_weights(std::span<const double> weights) override;

 private:
  // The words of a phrase without context.
  struct Phrase {
    lm::ChartState state;
    float score;  // log10
  };
  static const lm::State& state_of(const std::byte* state) { return *reinterpret_cast<const lm::State*>(state); }

  LanguageModelFeature whole_;
  std::shared_ptr<const lm::Model> model_;
  std::uint32_t id_;
  float weight_ = 0;  // of a log10 probability
};

// A language model in any search, by `model` and, of classes, `classes`: this one where edges append,
// LanguageModelFeature elsewhere.
extern const FeatureKind language_model_kind;

}  // namespace tunesmith
