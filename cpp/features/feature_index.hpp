// Names of features ↔ numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/word_table.hpp"
#include "features/rules/rule_names.hpp"
#include "features/weight_table.hpp"

namespace tunesmith {

// Numbers are given in the order names are added. One block in between may belong to the rules of a table, whose
// names (`id:` and the name of the rule) are made and found without being stored.
class FeatureIndex {
 public:
  static constexpr std::string_view rule_prefix = "id:";

  std::size_t size() const { return names_.size() + rules(); }

  // The number of a feature, new or not. Throws Error for an empty name and one that holds white space.
  std::uint32_t add(std::string_view name);
  // Makes the next rules.size() numbers those of these rules; at most once.
  void add_rules(std::shared_ptr<const RuleNames> rules);

  // The numbers of the rules: first and after the last.
  std::pair<std::size_t, std::size_t> rule_block() const { return {before_rules_, before_rules_ + rules()}; }

  std::optional<std::uint32_t> find(std::string_view name) const;
  // The numbers of all features whose names begin so, rising.
  std::vector<std::int64_t> with_prefix(std::string_view prefix) const;
  // The name of feature `id` < size().
  std::string name(std::uint32_t id) const;

  // The number of each named weight, -1 where the name is not known.
  std::vector<std::int64_t> resolve(const WeightTable& weights, int threads) const;

 private:
  std::size_t rules() const { return rules_ ? rules_->size() : 0; }
  std::optional<std::uint32_t> find_stored(std::string_view name) const;

  WordTable names_;
  std::shared_ptr<const RuleNames> rules_;
  std::size_t before_rules_ = 0;  // how many of the names are in front of the rules
};

}  // namespace tunesmith
