// Links that follow one another in the target, also across rules (Watanabe et al. 2007, section 3.2.1).
#pragma once

#include "base/number_table.hpp"
#include "base/sparse_numbers.hpp"
#include "features/search/feature_kinds.hpp"
#include "features/search/target_bigrams.hpp"
#include "features/structure/linked_words.hpp"

namespace tunesmith {

// `link_bigrams:s|t_u|v` counts how often the link between u and v comes next after that between s and t. Links
// are in the order of their target words, those of one target word in the order of the source. A word that passes
// through is linked: <unk>|<unk>. The state is the first and the last link; in searches that append the last one
// alone.
class LinkBigrams final : public SparseStateFeature, public PreparesSides {
 public:
  // The arrays outlive the feature.
  LinkBigrams(const RuleArrays& rules, LinkedWords words, bool appends)
      : rules_(rules), words_(std::move(words)), appends_(appends) {}

  std::string_view name() const override { return "link_bigrams"; }
  std::size_t state_bytes() const override { return sizeof(Borders); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  std::unique_ptr<SentenceMemory> start(const Sentence& sentence) const override;
  std::size_t prepared_bytes() const override { return appends_ ? sizeof(Own) : 0; }
  void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
               std::byte* prepared) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  void list(const Combination& edge, SparseValues& out) const override;
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }

 private:
  class Memory;
  struct Borders {
    std::uint32_t first, last;
  };
  static constexpr std::uint32_t none = NumberTable::none;
  // The first and the last link of a rule of the table, and the sum of the weights between its links.
  struct Own {
    Borders borders;
    double sum;
  };

  // Calls `visit(a, b)` for each two pairs of words that come to stand next to each other.
  template <class Visit>
  Borders walk(const Combination& edge, Visit visit) const;
  // Calls `visit(key)` for each feature of two pairs of words.
  template <class Visit>
  void for_each_key(std::uint32_t a, std::uint32_t b, Visit visit) const;

  const RuleArrays& rules_;
  LinkedWords words_;
  bool appends_;
  SparseNumbers ids_;
  std::span<const double> weights_;
};

extern const FeatureKind link_bigrams_kind;

}  // namespace tunesmith
