// The target side of an edge.
#pragma once

#include <cstdint>
#include <span>

namespace tunesmith {

// What joins the parts of an edge: a rule of the table, or one of those that every sentence has.
enum class Join : std::uint8_t { rule, unknown, glue, begin, end };

// Words of the target vocabulary, gaps as -1 - slot, and words passed through from the source: word w ≥ vocabulary
// is source word w - vocabulary of the sentence.
struct TargetSide {
  std::span<const std::int32_t> symbols;
  std::uint32_t vocabulary;
  Join join;
};

}  // namespace tunesmith
