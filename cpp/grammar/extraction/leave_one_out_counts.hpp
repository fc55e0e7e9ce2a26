// What each sentence pair of the training data gave to a rule table, so that it can be translated without that
// (leave-one-out).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "alignment/lexical_table.hpp"
#include "grammar/extraction/extract.hpp"
#include "grammar/tables/rule_trie.hpp"
#include "grammar/tables/table_arrays.hpp"

namespace tunesmith {

// Counts of rules, source sides or target sides: pair i has the entries [offsets[i], offsets[i + 1]), ids rise
// within it.
struct PairCounts {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<double> counts;
};

struct LeaveOneOutCounts {
  PairCounts rules;    // by their numbers in the table
  PairCounts sides;    // source sides; rules that the table has not count here as well
  PairCounts targets;  // target sides, by TargetNumbers; likewise
  // Rules that were made for a single word (nothing counts for them), each with a pair that has the word in a
  // rule.
  std::vector<std::int64_t> made_pairs;
  std::vector<std::uint32_t> made_rules;
  std::uint64_t missing = 0;  // rules of a pair that the table has not, summed over pairs
};

// Numbers for the target sides of a table: the first rule that has the side. Gaps are alike, as in the counts of
// target sides (keyed_sums.hpp). The arrays must outlive it.
class TargetNumbers {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  // Throws Error where an offset points outside.
  explicit TargetNumbers(const TableArrays& table);

  const std::vector<std::uint32_t>& of_rules() const { return of_rules_; }
  // `none` where no rule has it.
  std::uint32_t find(std::span<const Symbol> target) const { return slots_[slot_of(target)]; }

 private:
  std::size_t slot_of(std::span<const Symbol> target) const;

  TableArrays table_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
  std::vector<std::uint32_t> of_rules_;
};

// Extracts sentence pairs as collect.hpp does and finds their rules in the table.
class LeaveOneOutFinder {
 public:
  struct Options {
    std::optional<PhraseOptions> phrase;  // one of the two: what the table was extracted with
    std::optional<HieroOptions> hiero;
    std::size_t source_words = 0;  // in the vocabulary of the table
    int threads = 1;
  };
  // Spans and alignments must outlive the finder. Throws LineError for a link outside its sentence, Error for
  // wrong options and for a damaged table.
  LeaveOneOutFinder(WordNumbers source, WordNumbers target, const Alignments& alignments, const TableArrays& table,
                    const Options& options);

  std::size_t pairs() const { return source_.size(); }
  const std::vector<std::uint32_t>& target_numbers() const { return targets_.of_rules(); }
  // Counts of pairs [begin, end). Throws Error where a pair gave more to a rule than the table counted.
  LeaveOneOutCounts find(std::size_t begin, std::size_t end) const;

 private:
  class Pair;
  std::uint32_t side_of(std::span<const Symbol> source) const;
  std::uint32_t rule_of(std::uint32_t side, std::span<const Symbol> target) const;
  void find_pair(std::size_t pair, Pair& work, LeaveOneOutCounts& out) const;

  WordNumbers source_, target_;
  const Alignments& alignments_;
  TableArrays table_;
  Options options_;
  RuleTrie trie_;
  TargetNumbers targets_;
};

}  // namespace tunesmith
