// The arrays of a rule table (docs/reference/grammar.md says what they are).
#pragma once

#include "grammar/rule.hpp"

namespace tunesmith {

// Views; what they hold may come from a damaged file.
struct TableArrays {
  std::span<const std::uint64_t> source_offsets, source_rules, target_offsets, link_offsets;
  std::span<const Symbol> source_symbols, target_symbols;
  std::span<const std::uint8_t> links;
  std::span<const float> scores;
  std::span<const double> source_counts, target_counts, joint_counts;
};

}  // namespace tunesmith
