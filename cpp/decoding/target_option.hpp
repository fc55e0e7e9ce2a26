// A rule ready for search.
#pragma once

#include <cstddef>

#include "decoding/leave_one_out.hpp"
#include "features/target_side.hpp"

namespace tunesmith {

struct TargetOption {
  float estimate;  // local score and what features across rules expect without context: the order of options
  float local;
  RuleId rule;
  TargetSide side;
  const std::byte* prepared;  // by all features across rules, in their order; null before it is first used
  const ScoreChange* change = nullptr;  // in this sentence; already in the scores above
  bool of_sentence = false;             // span features of the sentence are in the scores above

  std::uint32_t gaps() const {
    std::uint32_t gaps = 0;
    for (const std::int32_t symbol : side.symbols) gaps += symbol < 0;
    return gaps;
  }
};

}  // namespace tunesmith
