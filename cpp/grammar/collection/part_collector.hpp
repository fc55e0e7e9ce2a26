// Records of occurrences → the rules of one part of a table, with counts, alignment and lexical weights.
#pragma once

#include <cstdint>
#include <span>

#include "grammar/collection/collect_options.hpp"
#include "grammar/collection/part_files.hpp"
#include "grammar/collection/side_sums.hpp"
#include "grammar/extraction/lexical_weight.hpp"
#include "grammar/tables/source_filter.hpp"

namespace tunesmith {

// Settings and data that all parts share.
struct PartContext {
  const CollectOptions& options;
  std::span<const std::uint64_t> labels;  // by sentence pair, or nothing
  const Lexicon &forward, &backward;      // p(target | source), p(source | target)
  const SourceFilter* filter;             // source sides that are kept; null: all
  SideSums& sums;
};

// The rules of part `number`, sorted; adds to the sums what they count, and asks there for what their scores need.
// For several threads.
PartRules collect_part(const PartContext& context, std::uint32_t number, std::span<const std::uint32_t> records);

}  // namespace tunesmith
