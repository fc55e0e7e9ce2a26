// Where a rule stands towards its neighbours, one sparse feature for each rule, or its classes, and orientation.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "features/search/feature_kinds.hpp"
#include "features/search/reordering/orientations.hpp"
#include "features/search/rule_strings.hpp"
#include "features/search/target_bigrams.hpp"

namespace tunesmith {

// What tells hypotheses apart.
enum class OrientationState : std::uint8_t {
  exact,     // the last phrase: where it stands, and its string
  weighted,  // the same, its string only where it has a weight towards what follows: scores are exact
  printed,   // the orientation of the last phrase, as the paper has it: not exact
};

// `NAME:previous-monotone|f|e` of each rule towards the phrase in front of it, `NAME:next-monotone|f|e` of each
// rule towards the phrase after it (Green et al. 2014, section 3.5). The begin of a sentence has a string of its
// own, `next-monotone|<s>`. Two names may hold for one orientation, as swap and non-monotone do.
class RuleOrientation final : public SparseStateFeature, public ScoresPlaces, public PreparesSides {
 public:
  static constexpr std::size_t most_names = 4;
  // orientations: names of them, each of which is a feature. Throws Error for one that is not known.
  RuleOrientation(std::string name, std::unique_ptr<const RuleStrings> strings,
                  std::span<const std::string> orientations, OrientationState state);

  std::string_view name() const override { return name_; }
  std::size_t state_bytes() const override { return sizeof(Last); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  float place_score(const Combination& edge) const override;
  std::size_t prepared_bytes() const override { return sizeof(Prepared); }
  void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
               std::byte* prepared) const override;
  void list(const Combination& edge, SparseValues& out) const override;
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  void number(std::uint64_t key, std::uint32_t id) override;
  std::uint32_t find_number(std::uint64_t key) const override;

 private:
  enum Direction : std::uint32_t { previous, next };
  // Numbers of a rule under the current weights: sums of the weights of the names that hold, by orientation, and
  // the string that hypotheses with this rule are distinguished by.
  struct Prepared {
    std::array<double, orientation_count> previous, next;
    std::uint32_t string, compared;
  };
  // The state. rule: the last phrase, null after the end. compared: what distinguishes hypotheses besides the
  // place.
  struct Last {
    const Prepared* rule;
    std::uint16_t begin, end;
    std::uint32_t compared;
  };
  // Numbers of the features of a string: those of `previous`, then those of `next`.
  using Row = std::array<std::uint32_t, 2 * most_names>;

  static const Last& last(const std::byte* state) { return *reinterpret_cast<const Last*>(state); }
  static const Prepared& prepared_of(const Combination& edge) {
    return *reinterpret_cast<const Prepared*>(edge.prepared);
  }
  static Orientation orientation_of(const Combination& edge) {
    const Last& before = last(edge.tails[0]);
    return orientation(before.begin, before.end, edge.application.begin, edge.application.end);
  }
  // A key is a string and a column of its row.
  static std::uint64_t key_of(std::uint32_t string, std::size_t column) {
    return static_cast<std::uint64_t>(string) * (2 * most_names) + column;
  }
  std::uint32_t begin_string() const { return static_cast<std::uint32_t>(strings_->size()); }
  double weight(std::uint32_t string, Direction direction, Orientation orientation) const;
  bool has_weight_towards_next(std::uint32_t string) const;
  Last made(const Combination& edge) const;

  std::string name_;
  std::unique_ptr<const RuleStrings> strings_;
  std::vector<std::string> names_;
  std::array<std::vector<std::uint32_t>, orientation_count> columns_;  // of the names that hold
  OrientationState state_;
  std::vector<std::uint32_t> row_of_;  // by string; RuleStrings::none before one of its features has a number
  std::vector<Row> rows_;
  std::span<const double> weights_;
};

// Inputs: `orientations`, their names; `state`, that of OrientationState; `more_than` of words, or names, numbers
// and the unknown class of both sides.
extern const FeatureKind lexical_orientation_kind, class_orientation_kind;

}  // namespace tunesmith
