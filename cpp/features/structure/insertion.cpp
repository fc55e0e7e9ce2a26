#include "features/structure/insertion.hpp"

#include <algorithm>

#include "base/remembered_sums.hpp"

namespace tunesmith {

// The score of a target word depends on nothing but the sentence.
class Insertion::Values final : public SpanValues {
 public:
  Values(const Insertion& feature, const Sentence& sentence) : feature_(feature), sentence_(sentence) {}

  float score(const PlacedRule& placed) override {
    return static_cast<float>(of_rules_.of(placed.application.rule, [&] {
      double sum = 0;
      for_each_inserted(placed, [&](std::uint32_t word) { sum += weight_of_word(word); });
      return sum;
    }));
  }
  void list(const PlacedRule& placed, SparseValues& out) override {
    for_each_inserted(placed, [&](std::uint32_t word) {
      for (const std::uint32_t source : sentence_.words)
        feature_.for_each_key(source, word, [&](std::uint64_t key) { out.add(key, 1.0f); });
    });
  }

 private:
  // Calls `visit(word)` for each target word of the rule that has no link. A word that passes through has one.
  template <class Visit>
  void for_each_inserted(const PlacedRule& placed, Visit visit) const {
    const RuleId rule = placed.application.rule;
    if (rule >= feature_.rules_.rules()) return;
    const RuleEntry entry = feature_.rules_.entry(rule, feature_.rules_.side_of(rule));
    for (std::size_t at = 0; at < entry.target.size(); ++at) {
      const auto linked = [&](const RuleLink link) { return link.target == at; };
      if (!is_gap(entry.target[at]) && std::ranges::none_of(entry.links, linked))
        visit(static_cast<std::uint32_t>(entry.target[at]));
    }
  }
  double weight_of_word(std::uint32_t word) {
    return of_words_.of(word, [&] {
      double sum = 0;
      for (const std::uint32_t source : sentence_.words) sum += feature_.weight_of_words(source, word);
      return sum;
    });
  }

  const Insertion& feature_;
  const Sentence& sentence_;
  RememberedSums of_rules_, of_words_;
};

std::unique_ptr<SpanValues> Insertion::start(const Sentence& sentence) const {
  return std::make_unique<Values>(*this, sentence);
}

constinit const FeatureKind insertion_kind{
    "insertion", serves_all, [](const FeatureInputs& inputs) -> SearchFeature {
      const RuleArrays& rules = inputs.rules;
      return std::make_shared<Insertion>(
          rules, HoldsForms{TokenForms(inputs, "source", *rules.source_words),
                            TokenForms(inputs, "target", *rules.target_words), combine_of(inputs)});
    }};

}  // namespace tunesmith
