// Two tables as one set of rules: which rule of each is the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/tables/table_arrays.hpp"

namespace tunesmith {

// Source sides and rules of both tables, each once, in the order of a table; -1 where a table has none.
struct JoinedRules {
  std::vector<std::int64_t> first_sides, second_sides;
  std::vector<std::uint64_t> rule_ends;  // of every source side
  std::vector<std::int64_t> first_rules, second_rules;
};

// Word w of a source side of `second` is source_words[w] in the numbering of `first`, which may continue after the
// words that `first` has; likewise target_words. Throws Error for arrays that are damaged.
JoinedRules join_rules(const TableArrays& first, const TableArrays& second, std::span<const Symbol> source_words,
                       std::span<const Symbol> target_words);

}  // namespace tunesmith
