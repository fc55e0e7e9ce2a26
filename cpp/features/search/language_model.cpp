#include "features/search/language_model.hpp"

#include <algorithm>
#include <new>
#include <numbers>

#include "base/error.hpp"

namespace tunesmith {

namespace {
constexpr float natural = std::numbers::ln10_v<float>;
}

LanguageModelFeature::LanguageModelFeature(std::string name, std::shared_ptr<const lm::Model> model,
                                           const Vocabulary& words, std::uint32_t id,
                                           std::shared_ptr<const lm::ClassWords> classes)
    : name_(std::move(name)), model_(std::move(model)), classes_(std::move(classes)), id_(id) {
  words_.reserve(words.size());
  for (std::size_t word = 0; word < words.size(); ++word) {
    words_.push_back(find(words.word(static_cast<std::int64_t>(word))));
    if (words_.back().number >= model_->vocabulary()) throw Error(name_ + ": a class is not in the model");
  }
}

void LanguageModelFeature::set_weights(std::span<const double> weights) {
  weight_ = id_ < weights.size() ? static_cast<float>(weights[id_] * std::numbers::ln10) : 0.0f;
}

// Words after a gap are scored without context.
float LanguageModelFeature::estimate(const Sentence& sentence, const TargetSide& side, SentenceMemory*) const {
  lm::State states[2];
  int current = 0;
  if (side.join == Join::begin) states[0] = model_->begin();
  float total = 0;
  for (const std::int32_t symbol : side.symbols) {
    if (symbol < 0) {
      states[current].length = 0;
      continue;
    }
    const lm::ClassWord found = word(sentence, side, symbol);
    total += found.probability + model_->score(states[current], found.number, states[1 - current]).probability;
    current = 1 - current;
  }
  // No probability is more than 1, but back-offs of other tools may pretend it; see most_estimate().
  return weight_ * std::min(total, 0.0f);
}

// The words in front of the first gap are scored once and for all.
void LanguageModelFeature::prepare(const Sentence& sentence, RuleId, const TargetSide& side, SentenceMemory*,
                                   std::byte* prepared) const {
  auto& start = *new (prepared) lm::PieceStart;
  lm::PieceScorer scorer(*model_, start.state);
  if (side.join == Join::begin) scorer.add_begin();
  float in_classes = 0;
  for (const std::int32_t symbol : side.symbols) {
    if (symbol < 0) break;
    const lm::ClassWord found = word(sentence, side, symbol);
    scorer.add_word(found.number);
    in_classes += found.probability;
    ++start.words;
  }
  scorer.interrupt(start);
  start.score += in_classes;
}

float LanguageModelFeature::score(const Combination& edge, std::byte* state, float* dense) const {
  auto& out = *new (state) lm::ChartState;
  const auto& start = *reinterpret_cast<const lm::PieceStart*>(edge.prepared);
  lm::PieceScorer scorer(*model_, start, out);
  const std::span<const std::int32_t> symbols = edge.side.symbols;
  float in_classes = 0;
  for (std::size_t at = start.words; at < symbols.size(); ++at) {
    if (symbols[at] < 0) {
      scorer.add_piece(chart(edge.tails[-1 - symbols[at]]), 0.0f);
      continue;
    }
    const lm::ClassWord found = word(edge.sentence, edge.side, symbols[at]);
    scorer.add_word(found.number);
    in_classes += found.probability;
  }
  if (edge.side.join == Join::end) scorer.add_word(lm::sentence_end);
  const float total = scorer.finish() + in_classes;
  if (edge.side.join == Join::end) out.right.length = out.left_length = 0;  // nothing comes after it
  *dense = total * natural;
  return weight_ * total;
}

}  // namespace tunesmith
