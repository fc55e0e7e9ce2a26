// Everything search reads: rules, their local scores, features across rules.
#pragma once

#include <memory>
#include <vector>

#include "decoding/local_scores.hpp"
#include "features/rule_arrays.hpp"
#include "features/state_feature.hpp"
#include "grammar/rule_trie.hpp"

namespace tunesmith {

struct HieroModel {
  RuleArrays rules;
  std::shared_ptr<const RuleTrie> trie;
  std::uint32_t target_vocabulary = 0;
  std::shared_ptr<LocalScores> local;
  std::vector<std::shared_ptr<StateFeature>> features;
  // Raised whenever weights change: what was computed under an older number is not used any more.
  std::uint64_t epoch = 1;

  RuleId special(SpecialRule rule) const { return special_rule(rules.rules(), rule); }
};

}  // namespace tunesmith
