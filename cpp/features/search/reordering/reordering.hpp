// Lexicalised reordering: how likely a phrase stands as it does towards its neighbours (Tillmann 2004; Koehn et
// al. 2005).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "features/search/feature_kinds.hpp"
#include "features/search/reordering/orientations.hpp"

namespace tunesmith {

// Orientations of phrases, or of blocks of phrases (Galley and Manning 2008), as far as it can be told from
// left to right (Cherry et al. 2012): what lies between the two phrases belongs to the block in front if it is
// translated already, and to the block that begins with the phrase if none of it is.
enum class Neighbour : std::uint8_t { phrase, block };

// A dense value for each column of the table: ln p(orientation | phrase) of the columns that the orientation
// chooses, 0 for the others. Columns `previous-…` are those of the phrase towards the one in front of it, columns
// `next-…` those of the one in front towards the phrase. Words that pass through have no probabilities: 0. So does
// the last phrase towards the end of the sentence (as in Moses).
class LexicalReordering final : public StateFeature, public ScoresPlaces {
 public:
  // columns: `previous-monotone`, `next-swap`, …; ids: of the features `reordering:column`.
  // values: a row of columns for each rule; they outlive the feature. Throws Error for a column that is not known,
  // and if sizes do not fit.
  // neighbour: what orientations are seen from.
  LexicalReordering(std::span<const std::string> columns, std::vector<std::uint32_t> ids,
                    std::span<const float> values, std::size_t rules, Neighbour neighbour = Neighbour::phrase);

  std::string_view name() const override { return "reordering"; }
  std::size_t state_bytes() const override { return sizeof(Last); }
  bool equal(const std::byte* a, const std::byte* b) const override;
  std::uint64_t hash(const std::byte* state) const override;
  float place_score(const Combination& edge) const override;
  float score(const Combination& edge, std::byte* state, float* dense) const override;
  std::span<const std::uint32_t> dense_ids() const override { return ids_; }
  void set_weights(std::span<const double> weights) override;

 private:
  // The state: the last phrase, with its row of values if it is one of the table. Words [free_begin, begin) and
  // [end, free_end) are not translated; both follow from the coverage, so they tell no hypotheses apart.
  struct Last {
    std::uint16_t begin, end;
    RuleId rule;
    std::uint16_t free_begin, free_end;
  };
  Last made(const Combination& edge) const;
  Orientation towards_previous(const Last& before, const Combination& edge) const;
  Orientation towards_next(const Last& before, const Combination& edge) const;
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  static const Last& last(const std::byte* state) { return *reinterpret_cast<const Last*>(state); }
  // The table may be a damaged file, of which nothing is read before it is needed.
  float value(RuleId rule, std::uint32_t column) const {
    const float found = values_[rule * width_ + column];
    if (!(found >= -1e6f && found <= 1e6f)) refuse(rule);
    return found;
  }
  [[noreturn]] void refuse(RuleId rule) const;
  // Calls `visit(column, value)` for the columns that the edge has.
  template <class Visit>
  void visit_columns(const Combination& edge, Visit visit) const {
    if (!is_phrase(edge)) return;
    const Last& before = last(edge.tails[0]);
    const Orientation simple = orientation(before.begin, before.end, edge.application.begin, edge.application.end);
    const bool blocks = neighbour_ == Neighbour::block;
    const auto behind = static_cast<std::size_t>(blocks ? towards_previous(before, edge) : simple);
    const auto ahead = static_cast<std::size_t>(blocks ? towards_next(before, edge) : simple);
    if (edge.application.rule < rules_)
      for (const std::uint32_t column : previous_[behind])
        if (column != none) visit(column, value(edge.application.rule, column));
    if (before.rule < rules_)
      for (const std::uint32_t column : next_[ahead])
        if (column != none) visit(column, value(before.rule, column));
  }

  std::vector<std::uint32_t> ids_;
  std::span<const float> values_;
  std::size_t rules_, width_;
  Neighbour neighbour_;
  // The columns of each orientation; there can be two, such as swap and non-monotone.
  using Columns = std::array<std::uint32_t, 2>;
  std::array<Columns, orientation_count> previous_, next_;
  std::vector<std::uint32_t> next_columns_;
  std::vector<float> weights_;
};

// Inputs: `values`, a row for each rule; `columns`, their names; `blocks`, whether orientations are those of
// blocks.
extern const FeatureKind reordering_kind;

}  // namespace tunesmith
