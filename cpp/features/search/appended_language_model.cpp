#include "features/search/appended_language_model.hpp"

#include <new>
#include <numbers>

namespace tunesmith {
namespace {
constexpr float natural = std::numbers::ln10_v<float>;
}

void AppendedLanguageModel::set_weights(std::span<const double> weights) {
  whole_.set_weights(weights);
  weight_ = id_ < weights.size() ? static_cast<float>(weights[id_] * std::numbers::ln10) : 0.0f;
}

void AppendedLanguageModel::prepare(const Sentence& sentence, RuleId, const TargetSide& side, SentenceMemory*,
                                    std::byte* prepared) const {
  auto& phrase = *new (prepared) Phrase;
  lm::PieceScorer scorer(*model_, phrase.state);
  float in_classes = 0;
  for (const std::int32_t symbol : side.symbols) {
    if (symbol < 0) continue;
    const lm::ClassWord found = whole_.word(sentence, side, symbol);
    scorer.add_word(found.number);
    in_classes += found.probability;
  }
  phrase.score = scorer.finish() + in_classes;
}

float AppendedLanguageModel::score(const Combination& edge, std::byte* state, float* dense) const {
  auto& after = *new (state) lm::State;
  float total = 0;
  if (edge.side.join == Join::begin) {
    after = model_->begin();
  } else if (edge.side.join == Join::end) {
    total = model_->score(state_of(edge.tails[0]), lm::sentence_end, after).probability;
    after.length = 0;  // nothing comes after it
  } else {
    const auto& phrase = *reinterpret_cast<const Phrase*>(edge.prepared);
    total = phrase.score + lm::append(*model_, state_of(edge.tails[0]), phrase.state, after);
  }
  *dense = total * natural;
  return weight_ * total;
}

constinit const FeatureKind language_model_kind{
    "language_model", serves_all, [](const FeatureInputs& inputs) -> SearchFeature {
      const auto& model = inputs.get<std::shared_ptr<const lm::Model>>("model");
      std::shared_ptr<const lm::ClassWords> classes;
      if (inputs.values.contains("classes"))
        classes = inputs.get<std::shared_ptr<const lm::ClassWords>>("classes");
      const std::uint32_t id = inputs.number(inputs.name);
      const Vocabulary& words = *inputs.rules.target_words;
      if (appends(inputs.growth))
        return std::make_shared<AppendedLanguageModel>(inputs.name, model, words, id, classes);
      return std::make_shared<LanguageModelFeature>(inputs.name, model, words, id, classes);
    }};

}  // namespace tunesmith
