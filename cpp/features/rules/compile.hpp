// Making the feature matrix of a rule table and templates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "features/feature_index.hpp"
#include "features/feature_matrix.hpp"
#include "features/rules/rule_template.hpp"

namespace tunesmith {

// What stands in a column of the dense block.
struct DenseColumn {
  enum class Kind {
    log_score,     // the natural logarithm of score number `score`, at least -100
    word_penalty,  // minus the number of target words
    rule_penalty,  // 1
    log_count,     // the natural logarithm of how often the rule was seen; 0 if it was never
    singleton      // 1 if it was seen once
  };
  std::string name;
  Kind kind;
  std::size_t score = 0;
};

// Features computed elsewhere for the rules of the table (Python templates): rule r has names[ids[i]]
// with values[i] for i from starts[r] to starts[r + 1] - 1.
struct GivenFeatures {
  std::vector<std::string> names;
  std::span<const std::uint64_t> starts;
  std::span<const std::uint32_t> ids;
  std::span<const float> values;
};

// A feature of one of the rules that every sentence has.
struct SpecialValue {
  std::string name;
  SpecialRule rule;
  float value;
};

struct FeaturePlan {
  std::vector<DenseColumn> dense;
  std::vector<SpecialValue> special;
  std::vector<std::pair<std::string, const RuleTemplate*>> templates;  // with the name of each
  std::vector<GivenFeatures> given;
  bool identity = false;
  // The dense block is computed where it is read: without templates and given features nothing of the table is
  // read here. The arrays of the rules must then live as long as the matrix, which keeps their owner.
  bool on_demand = false;
  std::shared_ptr<const void> owner;
};

struct CompiledFeatures {
  FeatureMatrix matrix;
  FeatureIndex names;  // the columns; identity columns come last
};

// Two passes over the rules: the first counts and finds the keys that occur, the second writes. So the memory is
// that of the result, which does not depend on the number of threads: keys are numbered in the order in which the
// rules of the table show them. The views of `rules` must stay valid as long as the names. Throws Error for a
// damaged table and for two features of the same name.
CompiledFeatures compile_features(const RuleArrays& rules, const FeaturePlan& plan, int threads);

}  // namespace tunesmith
