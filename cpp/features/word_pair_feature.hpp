// What sparse features of two words have in common: names, numbers and weights.
#pragma once

#include <memory>

#include "base/number_table.hpp"
#include "corpus/vocab.hpp"
#include "features/state_feature.hpp"

namespace tunesmith {

// The key of a feature is both words; its detail joins them by `separator`, which names of words do not hold.
class WordPairFeature : public StateFeature {
 public:
  bool has_sparse() const override { return true; }
  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

 protected:
  WordPairFeature(std::shared_ptr<const Vocabulary> first, std::shared_ptr<const Vocabulary> second,
                  char separator)
      : first_(std::move(first)), second_(std::move(second)), separator_(separator) {}

  static std::uint64_t pair_key(std::uint32_t first, std::uint32_t second) {
    return static_cast<std::uint64_t>(first) << 32 | second;
  }
  // 0 for a pair that has no number yet, or none among the weights.
  double weight(std::uint64_t key) const {
    const std::uint32_t id = ids_.find(key);
    return id < weights_.size() ? weights_[id] : 0.0;
  }
  // The number of a target word; of one that is passed through that of its text, unknown if there is none.
  static std::uint32_t target_word(std::int32_t symbol, const TargetSide& side, const Sentence& sentence,
                                   const Vocabulary& words) {
    const auto word = static_cast<std::uint32_t>(symbol);
    if (word < side.vocabulary) return word;
    return static_cast<std::uint32_t>(words.find(sentence.text[word - side.vocabulary]).value_or(0));
  }

 private:
  std::shared_ptr<const Vocabulary> first_, second_;
  char separator_;
  NumberTable ids_;
  std::span<const double> weights_;
};

}  // namespace tunesmith
