// Classes of the target words on both sides of each phrase boundary, one sparse feature for each pair.
#pragma once

#include <memory>
#include <vector>

#include "features/search/feature_kinds.hpp"
#include "features/search/target_bigrams.hpp"
#include "features/search/word_pair_feature.hpp"

namespace tunesmith {

// The vocabulary whose words are names of classes; made before the features that read it.
struct HoldsLabels {
  std::shared_ptr<const Vocabulary> labels;
};

// `class_boundary:a_b` counts how often a phrase that begins with a word of class b follows one that ends with a
// word of class a, <s> and </s> included (Green et al. 2014, section 3.3). The state is the class of the last
// word.
class ClassBoundary final : private HoldsLabels, public WordPairFeature<SparseStateFeature>, public PreparesSides {
 public:
  // of_words[i]: the number in `labels` of the class of target word i. unknown: that of words passed through.
  ClassBoundary(std::shared_ptr<const Vocabulary> labels_of_classes, std::vector<std::uint32_t> of_words,
                std::uint32_t unknown)
      : HoldsLabels{std::move(labels_of_classes)},
        WordPairFeature(*labels, *labels, '_'),
        of_words_(std::move(of_words)),
        unknown_(unknown) {}

  std::size_t state_bytes() const override { return sizeof(std::uint32_t); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  std::size_t prepared_bytes() const override { return sizeof(Borders); }
  void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
               std::byte* prepared) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  void set_weights(std::span<const double> weights) override;

  std::string_view name() const override { return "class_boundary"; }
  void list(const Combination& edge, SparseValues& out) const override;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  static constexpr std::size_t most_in_table = 512;  // classes

  // The classes of the first and the last word of a target side, `none` without words.
  struct Borders {
    std::uint32_t first, last;
  };
  static const Borders& borders(const Combination& edge) {
    return *reinterpret_cast<const Borders*>(edge.prepared);
  }
  // The classes that the edge brings together, if it does: of the word in front of it, and its first.
  std::optional<Borders> met(const Combination& edge) const;
  double weight_of(const Borders& pair) const {
    return sums_.empty() ? weight(WordPairs::key(pair.first, pair.last))
                         : sums_[pair.first * labels->size() + pair.last];
  }

  std::vector<std::uint32_t> of_words_;
  std::uint32_t unknown_;
  std::vector<double> sums_;  // the weights of all pairs, where there are few classes
};

extern const FeatureKind class_boundary_kind;

}  // namespace tunesmith
