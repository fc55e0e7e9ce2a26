// Everything search reads: rules, their features, features across rules, weights.
#pragma once

#include <memory>
#include <vector>

#include "features/feature_matrix.hpp"
#include "features/rule_arrays.hpp"
#include "features/state_feature.hpp"
#include "grammar/rule_trie.hpp"

namespace tunesmith {

struct DecoderModel {
  // Bottom-up search uses hierarchical rules, left-to-right search phrases.
  SearchOrder order = SearchOrder::bottom_up;
  RuleArrays rules;
  std::shared_ptr<const RuleTrie> trie;         // of hierarchical rules; phrases are found in the arrays
  std::shared_ptr<const FeatureMatrix> matrix;  // a row for each rule, then for the special ones
  std::vector<std::shared_ptr<StateFeature>> features;
  std::vector<double> weights;  // at least as many as the matrix has columns
  // Raised whenever weights change: what was computed under an older number is not used any more.
  std::uint64_t epoch = 1;

  // All that search sees of the local features of a rule.
  double local_score(RuleId rule) const { return matrix->score(rule, weights); }
  std::uint32_t target_vocabulary() const { return static_cast<std::uint32_t>(rules.target_words->size()); }
  RuleId special(SpecialRule rule) const { return special_rule(rules.rules(), rule); }
};

}  // namespace tunesmith
