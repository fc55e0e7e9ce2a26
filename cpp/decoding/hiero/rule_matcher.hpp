// Which source sides match a span, and where their gaps lie (CYK+ over the rule trie).
#pragma once

#include <cstdint>
#include <vector>

#include "decoding/chart/chart.hpp"
#include "grammar/tables/rule_trie.hpp"

namespace tunesmith {

// Gap i covers the words [begins[i], ends[i]).
struct RuleMatch {
  std::uint32_t side;
  std::uint8_t gaps;
  std::uint16_t begins[2], ends[2];
};

// Sides are read from left to right, one begin after the other from the last word on: when the spans with begin b
// are examined, all with a larger begin are complete, and of b itself the shorter ones. So dotted rules of one
// begin are all that must be remembered (Sennrich 2014, "CYK+ without memory of other begins").
class RuleMatcher {
 public:
  explicit RuleMatcher(const RuleTrie& trie) : trie_(trie) {}

  void start(const Sentence& sentence, const Chart& chart, std::size_t begin);
  // The matches of [begin, end); to be called for end = begin + 1, begin + 2, … in turn.
  const std::vector<RuleMatch>& next();
  // The span of the last next() is complete, and can be a gap at the left end of a side.
  void complete();

 private:
  struct Dotted {
    RuleTrie::Node node;
    std::uint8_t gaps;
    std::uint16_t begins[2], ends[2];
  };
  void add(const Dotted& from, RuleTrie::Node node);

  const RuleTrie& trie_;
  const Sentence* sentence_ = nullptr;
  const Chart* chart_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  // Indexed by end - begin: dotted rules that can continue with a word, and those that can continue with a gap.
  std::vector<std::vector<Dotted>> before_word_, before_gap_;
  std::vector<RuleMatch> matches_;
};

}  // namespace tunesmith
