// Everything search reads: rules, their features, features across rules, weights.
#pragma once

#include <memory>
#include <vector>

#include "features/feature_matrix.hpp"
#include "features/rule_arrays.hpp"
#include "features/search/feature_kinds.hpp"
#include "grammar/tables/rule_trie.hpp"

namespace tunesmith {

struct SearchKind;

struct DecoderModel {
  const SearchKind* search = nullptr;
  RuleArrays rules;
  std::shared_ptr<const RuleTrie> trie;                       // where the search asks for it
  std::shared_ptr<const FeatureMatrix> matrix;                // a row for each rule, then for the special ones
  std::vector<std::shared_ptr<StateFeature>> features;        // across rules
  std::vector<std::shared_ptr<SpanFeature>> span_features{};  // of the sentence: G_x
  std::vector<double> weights;                                // at least as many as the matrix has columns
  // Raised whenever weights change: what was computed under an older number is not used any more.
  std::uint64_t epoch = 1;

  void add(SearchFeature feature);
  // All that search sees of the local features of a rule.
  double local_score(RuleId rule) const { return matrix->score(rule, weights); }
  std::uint32_t target_vocabulary() const { return static_cast<std::uint32_t>(rules.target_words->size()); }
  RuleId special(SpecialRule rule) const { return special_rule(rules.rules(), rule); }
};

inline void DecoderModel::add(SearchFeature feature) {
  if (auto* const across = std::get_if<std::shared_ptr<StateFeature>>(&feature))
    features.push_back(std::move(*across));
  else
    span_features.push_back(std::get<std::shared_ptr<SpanFeature>>(std::move(feature)));
}

}  // namespace tunesmith
