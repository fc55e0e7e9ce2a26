// A rule ready for search.
#pragma once

#include <cstddef>
#include <limits>

#include "decoding/leave_one_out.hpp"
#include "features/target_side.hpp"

namespace tunesmith {

struct TargetOption {
  TargetOption(float expected, float own, RuleId number, const TargetSide& target, const std::byte* ready)
      : estimate(expected), local(own), rule(number), side(target), prepared(ready) {
    for (const std::int32_t symbol : side.symbols) gap_count += symbol < 0;
  }

  float estimate;  // local score and what features across rules expect without context: the order of options
  float local;
  RuleId rule;
  std::uint32_t gap_count = 0;  // asked for at each edge of a chart
  TargetSide side;
  const std::byte* prepared;  // by all features across rules, in their order; null before it is first used
  const ScoreChange* change = nullptr;  // in this sentence; already in the scores above
  bool of_sentence = false;             // span features of the sentence are in the scores above
  // What span features of the rule score under these weights, not in the scores above; NaN before it is asked for.
  mutable float of_rule = std::numeric_limits<float>::quiet_NaN();

  std::uint32_t gaps() const { return gap_count; }
};

}  // namespace tunesmith
