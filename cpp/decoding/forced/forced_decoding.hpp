// Forced decoding: the best phrase-based derivation of a given translation (Wuebker et al. 2010, section 3).
//
// A derivation cuts both sentences into phrase pairs of the table. Its score is the sum of the local scores of
// the pairs and the distortion weight times minus the words jumped over. What depends on the words of the
// translation alone, such as a language model, is the same for all derivations and left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/number_table.hpp"
#include "decoding/leave_one_out.hpp"
#include "decoding/phrase/coverage.hpp"
#include "grammar/tables/side_lookup.hpp"
#include "grammar/tables/table_arrays.hpp"

namespace tunesmith {

// beam: hypotheses kept of those that end at one target word.
// own: the logarithm of both relative frequencies of a phrase pair that nothing but its own sentence pair has, for
// each word of its two sides (length-based leaving-one-out, section 4.2); without it such pairs are not used.
// weights: of ln p(e|f) and ln p(f|e), for what leave-one-out changes.
struct ForcedOptions {
  std::uint32_t max_length = 7;
  std::uint32_t distortion_limit = 5;  // as in phrase-based search
  std::uint32_t beam = 1000;
  double distortion_weight = 1;
  std::array<double, 2> weights{0, 0};
  std::optional<double> own = std::nullopt;
};

// A phrase pair in a derivation: source words [begin, end).
struct ForcedStep {
  RuleId rule;
  std::uint32_t begin, end;
};

// Steps in the order of the translation; none where the table cannot make it.
struct ForcedDerivation {
  double score = 0;
  std::vector<ForcedStep> steps;
};

// The table: as its folder has it, and the local score of each rule. relative: which of its scores are p(e|f) and
// p(f|e). All outlives what reads it.
struct ForcedTable {
  TableArrays arrays;
  std::span<const double> local;
  std::size_t score_columns = 0;
  std::array<std::size_t, 2> relative{0, 1};
  // Throws Error unless sizes and numbers fit together.
  void check() const;
};

// For one sentence pair after the other; keeps its memory in between. One for each thread.
class ForcedDecoding {
 public:
  // left_out may be null: then nothing is left out.
  ForcedDecoding(const ForcedTable& table, const LeaveOneOut* left_out, const ForcedOptions& options);

  // The best derivation, exact unless the beam is full. `pair`: the number of the sentence pair in `left_out`.
  // Words are numbers of the table's vocabularies. Of equal scores the one that is met first is taken.
  ForcedDerivation run(std::span<const WordId> source, std::span<const WordId> target, std::size_t pair);

 private:
  // A phrase pair that fits source words [begin, end) and target words up to `to`.
  struct Option {
    std::uint32_t begin, end, to;
    RuleId rule;
    double score;
  };
  struct Hypothesis {
    double score;
    CoverageId coverage;
    std::uint32_t last_end, back, option;  // back: the one that was extended
  };

  void find_options(std::span<const WordId> source, std::span<const WordId> target, std::size_t pair);
  void add_side(std::uint32_t side, std::uint32_t begin, std::uint32_t end, std::span<const WordId> target);
  void add_rule(RuleId rule, double change, std::uint32_t begin, std::uint32_t end,
                std::span<const WordId> target);
  double own_change(RuleId rule, std::uint32_t source_words) const;
  bool may_follow(const Hypothesis& hypothesis, const Option& option) const;
  void extend(std::uint32_t from, const Option& option, std::uint32_t number);
  void prune(std::vector<std::uint32_t>& stack) const;
  ForcedDerivation trace(std::uint32_t last) const;

  const ForcedTable& table_;
  const LeaveOneOut* left_out_;
  ForcedOptions options_;
  SideLookup sides_;
  OwnPair own_;
  CoverageSet coverages_;
  std::vector<Option> all_options_;
  std::vector<std::vector<std::uint32_t>> options_at_;             // by the target word that they begin with
  std::unordered_map<WordId, std::vector<std::uint32_t>> places_;  // of each word of the translation
  std::vector<std::vector<std::uint32_t>> stacks_;                 // hypotheses by the number of target words
  NumberTable recombined_;                                         // hypotheses by coverage, last end and stack
  std::vector<Hypothesis> hypotheses_;
};

}  // namespace tunesmith
