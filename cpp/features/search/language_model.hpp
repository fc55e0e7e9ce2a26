// A language model as a feature of search.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/vocab.hpp"
#include "features/search/state_feature.hpp"
#include "lm/chart_state.hpp"
#include "lm/class_words.hpp"

namespace tunesmith {

// One dense value: the natural logarithm of the probability of the words, <s> and </s> included. The sum over the
// edges of a derivation is that of the whole sentence; parts without left context are estimates that are put right
// when they get one (lm/chart_state.hpp).
class LanguageModelFeature final : public StateFeature, public EstimatesSides, public PreparesSides {
 public:
  // id: the number of the feature `name`.   classes: of a model of classes, whose n-grams are those of the classes
  // of the words, and each word has its probability in the class besides; null for a model of words.
  LanguageModelFeature(std::string name, std::shared_ptr<const lm::Model> model, const Vocabulary& words,
                       std::uint32_t id, std::shared_ptr<const lm::ClassWords> classes = nullptr);

  std::string_view name() const override { return name_; }
  std::size_t state_bytes() const override { return sizeof(lm::ChartState); }
  bool equal(const std::byte* a, const std::byte* b) const override { return chart(a) == chart(b); }
  std::uint64_t hash(const std::byte* state) const override { return chart(state).hash(); }
  std::size_t prepared_bytes() const override { return sizeof(lm::PieceStart); }
  float estimate(const Sentence& sentence, const TargetSide& side, SentenceMemory* memory) const override;
  // Logarithms of probabilities.
  float most_estimate(std::size_t, SentenceMemory*) const override {
    return weight_ >= 0 ? 0.0f : std::numeric_limits<float>::infinity();
  }
  void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
               std::byte* prepared) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  std::span<const std::uint32_t> dense_ids() const override { return {&id_, 1}; }
  void set_weights(std::span<const double> weights) override;

  // The word, or class, of the model that a symbol of a target side is, and log10 p(word | class).
  lm::ClassWord word(const Sentence& sentence, const TargetSide& side, std::int32_t symbol) const {
    const auto word = static_cast<std::uint32_t>(symbol);
    if (word < side.vocabulary) return words_[word];
    return find(sentence.text[word - side.vocabulary]);
  }

 private:
  static const lm::ChartState& chart(const std::byte* state) {
    return *reinterpret_cast<const lm::ChartState*>(state);
  }
  lm::ClassWord find(std::string_view word) const {
    return classes_ == nullptr ? lm::ClassWord{model_->id(word), 0.0f} : classes_->find(word);
  }

  std::string name_;
  std::shared_ptr<const lm::Model> model_;
  std::shared_ptr<const lm::ClassWords> classes_;
  std::vector<lm::ClassWord> words_;  // of the model, for each word of the target vocabulary
  std::uint32_t id_;
  float weight_ = 0;  // of a log10 probability
};

}  // namespace tunesmith
