#include "features/search/source_triggers.hpp"

#include "base/remembered_sums.hpp"

namespace tunesmith {

class SourceTriggers::Values final : public SpanValues {
 public:
  Values(const SourceTriggers& feature, const Sentence& sentence) : feature_(feature), sentence_(sentence) {}

  float score(const PlacedRule& rule) override {
    double sum = 0;
    for_each_target(rule.side, [&](std::uint32_t word) { sum += weight_of_word(word); });
    return static_cast<float>(sum);
  }

  void list(const PlacedRule& rule, SparseValues& out) override {
    for_each_target(rule.side, [&](std::uint32_t word) {
      for (const std::uint32_t source : sentence_.known) out.add(WordPairs::key(source, word), 1.0f);
    });
  }

 private:
  // Calls `visit(word)` for each word of the side that the target vocabulary has.
  template <class Visit>
  void for_each_target(const TargetSide& side, Visit visit) const {
    for (const std::int32_t symbol : side.symbols) {
      if (symbol < 0) continue;
      const std::uint32_t word = target_word(symbol, side, sentence_, feature_.target_);
      if (word != Vocabulary::unknown) visit(word);
    }
  }

  double weight_of_word(std::uint32_t word) {
    return sums_.of(word, [&] {
      double sum = 0;
      for (const std::uint32_t source : sentence_.known) sum += feature_.weight(WordPairs::key(source, word));
      return sum;
    });
  }

  const SourceTriggers& feature_;
  const Sentence& sentence_;
  RememberedSums sums_;  // by target word
};

std::unique_ptr<SpanValues> SourceTriggers::start(const Sentence& sentence) const {
  return std::make_unique<Values>(*this, sentence);
}

std::optional<std::uint64_t> SourceTriggers::key(std::string_view detail) const {
  const auto found = WordPairFeature::key(detail);
  if (!found || *found >> 32 == Vocabulary::unknown || (*found & 0xFFFFFFFFu) == Vocabulary::unknown)
    return std::nullopt;
  return found;
}

constinit const FeatureKind source_triggers_kind{
    "source_triggers", serves_all, [](const FeatureInputs& inputs) -> SearchFeature {
      return std::make_shared<SourceTriggers>(*inputs.rules.source_words, *inputs.rules.target_words);
    }};

}  // namespace tunesmith
