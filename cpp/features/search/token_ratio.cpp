#include "features/search/token_ratio.hpp"

#include "base/error.hpp"
#include "features/search/word_pair_feature.hpp"

namespace tunesmith {

class TokenRatio::Values final : public SpanValues {
 public:
  Values(const TokenRatio& feature, const Sentence& sentence) : feature_(feature), sentence_(sentence) {
    std::size_t count = 0;
    for (const std::uint32_t word : sentence.words) count += feature.source_[word] ? 1 : 0;
    if (count > 0) each_ = 1.0 / static_cast<double>(count);
  }

  float score(const PlacedRule& rule) override {
    const bool has_weight = feature_.id_ < feature_.weights_.size();
    return has_weight ? static_cast<float>(feature_.weights_[feature_.id_] * static_cast<double>(value(rule)))
                      : 0.0f;
  }
  void list(const PlacedRule& rule, SparseValues& out) override {
    if (const float ratio = value(rule); ratio != 0) out.add(0, ratio);
  }

 private:
  float value(const PlacedRule& rule) const {
    std::size_t count = 0;
    if (each_ == 0) return 0;
    for (const std::int32_t symbol : rule.side.symbols)
      if (symbol >= 0)
        count += feature_.target_[target_word(symbol, rule.side, sentence_, feature_.target_words_)] ? 1 : 0;
    return static_cast<float>(each_ * static_cast<double>(count));
  }

  const TokenRatio& feature_;
  const Sentence& sentence_;
  double each_ = 0;  // what one target word is worth
};

std::unique_ptr<SpanValues> TokenRatio::start(const Sentence& sentence) const {
  return std::make_unique<Values>(*this, sentence);
}

namespace {

std::vector<bool> flags(const FeatureInputs& inputs, std::string_view key, const Vocabulary& words) {
  const auto values = inputs.get<std::span<const float>>(key);
  if (values.size() != words.size()) throw Error(inputs.name + " needs a value for each word of the vocabulary");
  std::vector<bool> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i] != 0;
  return out;
}

SearchFeature make_ratio(const FeatureInputs& inputs) {
  const RuleArrays& rules = inputs.rules;
  return std::make_shared<TokenRatio>(inputs.name, flags(inputs, "source", *rules.source_words),
                                      flags(inputs, "target", *rules.target_words), *rules.target_words);
}

}  // namespace

constinit const FeatureKind punctuation_ratio_kind{"punctuation_ratio", serves_all, make_ratio};
constinit const FeatureKind function_word_ratio_kind{"function_word_ratio", serves_all, make_ratio};

}  // namespace tunesmith
