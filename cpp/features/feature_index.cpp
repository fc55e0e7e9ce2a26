#include "features/feature_index.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/words.hpp"

namespace tunesmith {

std::uint32_t FeatureIndex::add(std::string_view name) {
  if (const auto known = find(name)) return *known;
  if (name.empty()) throw Error("the name of a feature is empty");
  for (std::size_t at = 0; at < name.size(); ++at)
    if (space_at(name, at) != 0) throw Error("the name of a feature holds white space: " + std::string(name));
  if (size() >= std::numeric_limits<std::uint32_t>::max() - 1) throw Error("2^32 features or more");
  const auto place = static_cast<std::size_t>(names_.add(name));
  return static_cast<std::uint32_t>(place + (rules_ ? rules() : 0));
}

void FeatureIndex::add_rules(std::shared_ptr<const RuleNames> rules) {
  if (rules_) throw Error("the index has the rules of a table already");
  if (size() + rules->size() >= std::numeric_limits<std::uint32_t>::max()) throw Error("2^32 features or more");
  before_rules_ = names_.size();
  rules_ = std::move(rules);
}

std::optional<std::uint32_t> FeatureIndex::find(std::string_view name) const {
  if (rules_ && name.starts_with(rule_prefix)) {
    if (const auto rule = rules_->find(name.substr(rule_prefix.size())))
      return static_cast<std::uint32_t>(before_rules_ + *rule);
  }
  return find_stored(name);
}

std::optional<std::uint32_t> FeatureIndex::find_stored(std::string_view name) const {
  const WordId found = names_.find(name);
  if (found == WordTable::none) return std::nullopt;
  const auto at = static_cast<std::size_t>(found);
  return static_cast<std::uint32_t>(rules_ && at >= before_rules_ ? at + rules() : at);
}

std::string FeatureIndex::name(std::uint32_t id) const {
  if (id >= size()) throw Error("feature " + std::to_string(id) + " of " + std::to_string(size()));
  if (!rules_ || id < before_rules_) return std::string(names_.word(static_cast<WordId>(id)));
  if (id - before_rules_ < rules())
    return std::string(rule_prefix) + rules_->name(static_cast<RuleId>(id - before_rules_));
  return std::string(names_.word(static_cast<WordId>(id - rules())));
}

std::vector<std::int64_t> FeatureIndex::with_prefix(std::string_view prefix) const {
  std::vector<std::int64_t> found;
  const std::size_t first = rules_ ? before_rules_ : size();
  const bool every_rule = rule_prefix.starts_with(prefix);
  const bool some_rules = prefix.starts_with(rule_prefix);
  for (std::size_t id = 0; id < size(); ++id) {
    const bool of_rule = id >= first && id - first < rules();
    if (of_rule ? every_rule || (some_rules && name(static_cast<std::uint32_t>(id)).starts_with(prefix))
                : name(static_cast<std::uint32_t>(id)).starts_with(prefix))
      found.push_back(static_cast<std::int64_t>(id));
  }
  return found;
}

std::vector<std::int64_t> FeatureIndex::resolve(const WeightTable& weights, int threads) const {
  std::vector<std::int64_t> ids(weights.size(), -1);
  std::vector<std::string_view> rule_names;
  std::vector<std::size_t> places;
  if (rules_) {
    rule_names.reserve(weights.size());
    places.reserve(weights.size());
    for (std::size_t at = 0; at < weights.size(); ++at) {
      const std::string_view name = weights.name(at);
      if (!name.starts_with(rule_prefix)) continue;
      rule_names.push_back(name.substr(rule_prefix.size()));
      places.push_back(at);
    }
    const std::vector<std::int64_t> found = rules_->find_all(rule_names, threads);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] >= 0) ids[places[i]] = static_cast<std::int64_t>(before_rules_) + found[i];
  }
  for (std::size_t at = 0; at < weights.size(); ++at)
    if (ids[at] < 0)
      if (const auto id = find_stored(weights.name(at))) ids[at] = static_cast<std::int64_t>(*id);
  return ids;
}

}  // namespace tunesmith
