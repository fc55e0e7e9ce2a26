// Words of a rule that no word of its other side translates well (Watanabe et al. 2007, after Bender et al. 2004).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "features/rules/rule_template.hpp"

namespace tunesmith {

enum class PenalisedSide { source, target };

// One column: the number of words of a side that make a good pair with no word of the other side. A pair of a
// source and a target word has the key `source << 32 | target`.
std::unique_ptr<RuleTemplate> lexical_penalty(PenalisedSide side, std::span<const std::uint64_t> good_pairs);

}  // namespace tunesmith
