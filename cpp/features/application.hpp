// A rule at a place of one sentence: what search puts together and what local features look at.
#pragma once

#include <cstdint>

namespace tunesmith {

// Rules of a model are numbered: those of its table first (0 to rules() - 1), then the few that every sentence has
// (glue, unknown word; see special_rule). Each has a row in the feature matrix.
using RuleId = std::uint32_t;

// After the rules of the table, in this order.
enum class SpecialRule : RuleId {
  unknown,  // a word the table does not know passes through; the same row for all of them
  glue,     // S → S X: one more piece after what is translated already
  begin,    // S → <s>
  end,      // S → S </s>
  count
};

// The number of an edge without a rule of the model: all its features are its own.
inline constexpr RuleId no_rule = ~RuleId{0};

inline constexpr RuleId special_rule(std::size_t table_rules, SpecialRule rule) {
  return static_cast<RuleId>(table_rules) + static_cast<RuleId>(rule);
}

// Source words [begin, end) of the sentence.
struct Application {
  RuleId rule;
  std::uint16_t begin, end;
  bool operator==(const Application&) const = default;
};

}  // namespace tunesmith
