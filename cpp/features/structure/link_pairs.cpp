#include "features/structure/link_pairs.hpp"

#include "base/remembered_sums.hpp"

namespace tunesmith {

class LinkPairs::Values final : public SpanValues {
 public:
  explicit Values(const LinkPairs& feature) : feature_(feature) {}

  bool lasts() const override { return pairs_.size() < RememberedSums::most; }

  float score(const PlacedRule& placed) override {
    double sum = 0;
    for_each_pair(placed, [&](std::uint32_t a, std::uint32_t b) {
      sum += pairs_.of(WordPairs::key(a, b), [&] { return feature_.weight_of_words(a, b); });
    });
    return static_cast<float>(sum);
  }
  void list(const PlacedRule& placed, SparseValues& out) override {
    for_each_pair(placed, [&](std::uint32_t a, std::uint32_t b) {
      feature_.for_each_key(a, b, [&](std::uint64_t key) { out.add(key, 1.0f); });
    });
  }

 private:
  template <class Visit>
  void for_each_pair(const PlacedRule& placed, Visit visit) const {
    const RuleArrays& rules = feature_.rules_;
    const RuleId rule = placed.application.rule;
    if (rule < rules.rules()) {
      const RuleEntry entry = rules.entry(rule, rules.side_of(rule));
      for (const RuleLink link : entry.links)
        visit(static_cast<std::uint32_t>(entry.source[link.source]),
              static_cast<std::uint32_t>(entry.target[link.target]));
    } else if (placed.side.join == Join::unknown) {
      visit(std::uint32_t{Vocabulary::unknown}, std::uint32_t{Vocabulary::unknown});
    }
  }

  const LinkPairs& feature_;
  RememberedSums pairs_;  // by both words
};

std::unique_ptr<SpanValues> LinkPairs::start(const Sentence&) const {
  return std::make_unique<Values>(*this);
}

constinit const FeatureKind link_pairs_kind{
    "link_pairs", serves_all, [](const FeatureInputs& inputs) -> SearchFeature {
      const RuleArrays& rules = inputs.rules;
      return std::make_shared<LinkPairs>(
          rules, HoldsForms{TokenForms(inputs, "source", *rules.source_words),
                            TokenForms(inputs, "target", *rules.target_words), combine_of(inputs)});
    }};

}  // namespace tunesmith
