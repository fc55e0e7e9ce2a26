// What sparse features of two words have in common: names, numbers and weights.
#pragma once

#include <memory>

#include "base/sparse_numbers.hpp"
#include "corpus/vocab.hpp"
#include "features/search/sparse_weights.hpp"
#include "features/sentence.hpp"
#include "features/target_side.hpp"

namespace tunesmith {

// The key of a feature is both words; its detail joins them by `separator`, which names of words do not hold.
class WordPairs {
 public:
  WordPairs(const Vocabulary& first, const Vocabulary& second, char separator)
      : first_(first), second_(second), separator_(separator) {}

  static std::uint64_t key(std::uint32_t first, std::uint32_t second) {
    return static_cast<std::uint64_t>(first) << 32 | second;
  }
  std::string detail(std::uint64_t key) const;
  std::optional<std::uint64_t> key(std::string_view detail) const;

 private:
  const Vocabulary &first_, &second_;
  char separator_;
};

// A feature of pairs; Base is what the search asks of it.
template <class Base>
class WordPairFeature : public Base {
 public:
  std::string detail(std::uint64_t key) const override { return pairs_.detail(key); }
  std::optional<std::uint64_t> key(std::string_view detail) const override { return pairs_.key(detail); }
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

 protected:
  // The vocabularies outlive the feature.
  WordPairFeature(const Vocabulary& first, const Vocabulary& second, char separator)
      : pairs_(first, second, separator) {}

  // 0 for a pair that has no number yet, or none among the weights.
  double weight(std::uint64_t key) const { return weight_of_number(ids_.find(key)); }
  double weight_of_number(std::uint32_t id) const { return id < weights_.size() ? weights_[id] : 0.0; }

  // The sum of the weights of at most `most` keys.
  template <std::size_t most>
  double weight_of_keys(std::span<const std::uint64_t> keys) const {
    return add_weights<most>(0.0, keys, ids_, weights_);
  }

  // Calls `visit(key, weight)` for every pair that has a weight.
  template <class Visit>
  void for_each_weight(Visit visit) const {
    ids_.for_each([&](std::uint64_t key, std::uint32_t id) {
      if (id < weights_.size()) visit(key, weights_[id]);
    });
  }

 private:
  WordPairs pairs_;
  SparseNumbers ids_;
  std::span<const double> weights_;
};

// The number of a target word; of one that is passed through that of its text, unknown if there is none.
inline std::uint32_t target_word(std::int32_t symbol, const TargetSide& side, const Sentence& sentence,
                                 const Vocabulary& words) {
  const auto word = static_cast<std::uint32_t>(symbol);
  if (word < side.vocabulary) return word;
  return static_cast<std::uint32_t>(words.find(sentence.text[word - side.vocabulary]).value_or(0));
}

}  // namespace tunesmith
