// Pairs of neighbouring target words, one sparse feature each.
#pragma once

#include <memory>

#include "corpus/vocab.hpp"
#include "features/sparse_ids.hpp"
#include "features/state_feature.hpp"

namespace tunesmith {

// `target_bigrams:a_b` counts how often b follows a, <s> and </s> included. Words that are not in the target
// vocabulary are <unk>.
class TargetBigrams final : public StateFeature {
 public:
  explicit TargetBigrams(std::shared_ptr<const Vocabulary> words) : words_(std::move(words)) {}

  bool serves(SearchOrder) const override { return true; }
  std::size_t state_bytes() const override { return sizeof(Borders); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  float estimate(const Sentence& sentence, const TargetSide& side) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;

  std::string_view name() const override { return "target_bigrams"; }
  bool has_sparse() const override { return true; }
  void list(const Combination& edge, SparseValues& out) const override;
  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

 private:
  // The first and the last word of a part, both `none` if it has no words.
  struct Borders {
    std::uint32_t first, last;
  };
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  // Calls `visit(key)` for each pair that the edge makes; returns the borders of what it covers.
  template <class Visit>
  Borders walk(const Sentence& sentence, const TargetSide& side, const std::byte* const* tails, Visit visit) const;
  double weight(std::uint64_t key) const;

  std::shared_ptr<const Vocabulary> words_;
  SparseIds ids_;
  std::span<const double> weights_;
};

}  // namespace tunesmith
