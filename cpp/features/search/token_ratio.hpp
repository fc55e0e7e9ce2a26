// How many target words of a kind a translation has for each source word of that kind.
#pragma once

#include <string>
#include <vector>

#include "base/number_table.hpp"
#include "features/search/feature_kinds.hpp"
#include "features/search/span_feature.hpp"

namespace tunesmith {

// The ratio of a derivation is a sum over its rules, since the number of source words is that of the sentence:
// each target word of the kind is worth one over it. Without such a source word nothing fires. Words that the
// vocabularies lack are not of the kind (Green et al. 2014, section 3.2).
class TokenRatio final : public SpanFeature {
 public:
  // source[i], target[i]: whether word i of the vocabulary is of the kind. The vocabulary outlives the feature.
  TokenRatio(std::string name, std::vector<bool> source, std::vector<bool> target, const Vocabulary& target_words)
      : name_(std::move(name)),
        source_(std::move(source)),
        target_(std::move(target)),
        target_words_(target_words) {}

  std::string_view name() const override { return name_; }
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

  std::string detail(std::uint64_t) const override { return ""; }
  std::optional<std::uint64_t> key(std::string_view detail) const override {
    return detail.empty() ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  void number(std::uint64_t, std::uint32_t id) override { id_ = id; }
  std::uint32_t find_number(std::uint64_t) const override { return id_; }

 private:
  class Values;
  std::string name_;
  std::vector<bool> source_, target_;
  const Vocabulary& target_words_;
  std::uint32_t id_ = NumberTable::none;
  std::span<const double> weights_;
};

extern const FeatureKind punctuation_ratio_kind, function_word_ratio_kind;

}  // namespace tunesmith
