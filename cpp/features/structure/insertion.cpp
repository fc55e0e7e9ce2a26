#include "features/structure/insertion.hpp"

#include <algorithm>
#include <vector>

#include "base/narrow.hpp"
#include "base/number_table.hpp"
#include "base/remembered_sums.hpp"

namespace tunesmith {

// The score of a target word depends on nothing but the sentence; what two words score, not even on that.
class Insertion::Values final : public SpanValues {
 public:
  Values(const Insertion& feature, const Sentence& sentence) : feature_(feature), sentence_(&sentence) {}

  bool lasts() const override { return std::max(of_pairs_.size(), starts_.size()) < RememberedSums::most; }
  void begin(const Sentence& sentence) override {
    sentence_ = &sentence;
    of_rules_.clear();
    of_words_.clear();
  }
  float score(const PlacedRule& placed) override {
    return static_cast<float>(of_rules_.of(placed.application.rule, [&] {
      double sum = 0;
      for (const std::uint32_t word : inserted(placed.application.rule)) sum += weight_of_word(word);
      return sum;
    }));
  }
  void list(const PlacedRule& placed, SparseValues& out) override {
    for (const std::uint32_t word : inserted(placed.application.rule))
      for (const std::uint32_t source : sentence_->words)
        feature_.for_each_key(source, word, [&](std::uint64_t key) { out.add(key, 1.0f); });
  }

 private:
  // The target words of a rule that have no link. A word that passes through has one.
  std::span<const std::uint32_t> inserted(RuleId rule) {
    if (rule >= feature_.rules_.rules()) return {};
    std::uint32_t place = places_.find(rule);
    if (place == NumberTable::none) {
      place = narrow<std::uint32_t>(starts_.size() - 1);
      places_.set(rule, place);
      add(feature_.rules_.entry(rule, feature_.rules_.side_of(rule)));
    }
    return std::span(words_).subspan(starts_[place], starts_[place + 1] - starts_[place]);
  }
  void add(const RuleEntry& entry) {
    for (std::size_t at = 0; at < entry.target.size(); ++at) {
      const auto linked = [&](const RuleLink link) { return link.target == at; };
      if (!is_gap(entry.target[at]) && std::ranges::none_of(entry.links, linked))
        words_.push_back(static_cast<std::uint32_t>(entry.target[at]));
    }
    starts_.push_back(words_.size());
  }
  double weight_of_word(std::uint32_t word) {
    return of_words_.of(word, [&] {
      double sum = 0;
      for (const std::uint32_t source : sentence_->words)
        sum += of_pairs_.of(WordPairs::key(source, word), [&] { return feature_.weight_of_words(source, word); });
      return sum;
    });
  }

  const Insertion& feature_;
  const Sentence* sentence_;
  RememberedSums of_rules_, of_words_;  // in this sentence
  RememberedSums of_pairs_;             // of a source and a target word
  NumberTable places_;                  // of rules in `starts_`
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint32_t> words_;
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
