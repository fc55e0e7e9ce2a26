// The arrays of a rule table as features read them.
#pragma once

#include <cstdint>
#include <span>

#include "corpus/vocab.hpp"
#include "features/application.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// One rule. Symbols are words of the vocabularies or gaps; links lie inside the rule and join words.
struct RuleEntry {
  RuleId id;
  std::span<const Symbol> source, target;
  std::span<const RuleLink> links;
  std::uint32_t occurrences;
};

// Views into a table (grammar.md says what the arrays are), which must outlive them. The arrays may come from
// a damaged file: sizes are checked once by `check`, what they hold by each access. Both throw Error.
struct RuleArrays {
  std::span<const std::uint64_t> source_offsets, source_rules, target_offsets, link_offsets;
  std::span<const Symbol> source_symbols, target_symbols;
  std::span<const std::uint8_t> links;
  std::span<const float> scores;  // score_columns for every rule
  std::span<const std::uint32_t> occurrences;
  std::size_t score_columns = 0;
  const Vocabulary* source_words = nullptr;
  const Vocabulary* target_words = nullptr;

  void check() const;
  // Whether the rules of the source sides follow one another; reads the whole array.
  void check_order() const;

  std::size_t rules() const { return occurrences.size(); }
  std::size_t sides() const { return source_rules.size() - 1; }

  // The source side that rule `rule` < rules() belongs to.
  std::size_t side_of(std::size_t rule) const;
  std::span<const Symbol> source(std::size_t side) const;
  std::span<const Symbol> target(std::size_t rule) const {
    const std::uint64_t begin = target_offsets[rule], end = target_offsets[rule + 1];
    if (begin > end || end > target_symbols.size()) damaged_offset();
    return target_symbols.subspan(begin, end - begin);
  }
  RuleEntry entry(std::size_t rule, std::size_t side) const;

  // Calls `visit(entry)` for the rules [begin, end) in order.
  template <class Visit>
  void for_each(std::size_t begin, std::size_t end, Visit visit) const {
    if (begin >= end) return;
    std::size_t side = side_of(begin);
    for (std::size_t rule = begin; rule < end; ++rule) {
      while (side + 1 < sides() && source_rules[side + 1] <= rule) ++side;
      visit(entry(rule, side));
    }
  }

 private:
  [[noreturn]] static void damaged_offset();
};

}  // namespace tunesmith
