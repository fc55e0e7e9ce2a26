// Templates that look at the size of a rule and at how often it was seen.
#pragma once

#include <memory>
#include <vector>

#include "features/rules/rule_template.hpp"

namespace tunesmith {

// Green et al. 2014, section 3.4: words of the source side, of the target side, of both; gaps after a +.
enum class Dimension { source, target, both };
std::unique_ptr<RuleTemplate> dimension(Dimension which);

// Cherry and Foster 2012, section 4.2: the number of source words, of target words, and both together. More than
// `longest` words count as `longest`; a side without words fires nothing.
std::unique_ptr<RuleTemplate> length_bin(std::size_t longest);

// Cherry and Foster 2012, section 4.2: the first bound that is not below the number of occurrences; bounds rise,
// and after the last one comes infinity. Without bounds every number is a feature. A rule never seen (made up, or
// imported without counts) fires nothing.
std::unique_ptr<RuleTemplate> count_bin(std::vector<std::uint32_t> bounds);

}  // namespace tunesmith
