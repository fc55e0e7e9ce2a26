// A rule ready for search.
#pragma once

#include <cstddef>
#include <limits>

#include "decoding/leave_one_out.hpp"
#include "features/target_side.hpp"

namespace tunesmith {

// Decoders keep millions of options, so they are as small as they can be: the last members lie in what is left
// behind those of the side.
struct TargetOption {
  TargetOption(float expected, float own, RuleId number, const TargetSide& target, const std::byte* ready)
      : estimate(expected), local(own), rule(number), prepared(ready), side(target) {
    for (const std::int32_t symbol : side.symbols)
      gap_count = static_cast<std::uint8_t>(gap_count + (symbol < 0 ? 1 : 0));
  }

  float estimate;  // local score and what features across rules expect without context: the order of options
  float local;
  RuleId rule;
  // What span features of the rule score under these weights, not in the scores above; NaN before it is asked for.
  mutable float of_rule = std::numeric_limits<float>::quiet_NaN();
  const std::byte* prepared;  // by all features across rules, in their order; null before it is first used
  const ScoreChange* change = nullptr;  // in this sentence; already in the scores above
  [[no_unique_address]] TargetSide side;
  std::uint8_t gap_count = 0;  // at most two; asked for at each edge of a chart
  bool of_sentence = false;    // span features of the sentence are in the scores above

  std::uint32_t gaps() const { return gap_count; }
};

}  // namespace tunesmith
