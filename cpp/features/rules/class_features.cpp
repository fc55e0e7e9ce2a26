#include "features/rules/class_features.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "features/rules/linked_parts.hpp"
#include "features/rules/names.hpp"

namespace tunesmith {
namespace {

constexpr std::int32_t end_of_source = std::numeric_limits<std::int32_t>::min();  // in keys; no gap is so low

void append_classes(std::span<const std::int32_t> key, const WordLabels& labels, std::string& out) {
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (i > 0) out += '_';
    if (is_gap(key[i]))
      out += "[X," + std::to_string(-key[i]) + ']';
    else
      append_word(labels.name(key[i]), out);
  }
}

// Templates whose keys are classes of both sides.
class ClassPairs : public RuleTemplate {
 public:
  ClassPairs(WordLabels source, WordLabels target) : source_(std::move(source)), target_(std::move(target)) {}

  std::string detail(std::span<const std::int32_t> key, const RuleArrays&) const override {
    const auto middle = static_cast<std::size_t>(std::ranges::find(key, end_of_source) - key.begin());
    std::string out;
    append_classes(key.first(middle), source_, out);
    out += '|';
    append_classes(key.subspan(middle + 1), target_, out);
    return out;
  }

 protected:
  WordLabels source_, target_;
};

class ClassRule final : public ClassPairs {
 public:
  using ClassPairs::ClassPairs;

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    std::vector<std::int32_t> key;
    key.reserve(rule.source.size() + rule.target.size() + 1);
    for (const Symbol symbol : rule.source) key.push_back(is_gap(symbol) ? symbol : source_.of(symbol));
    key.push_back(end_of_source);
    for (const Symbol symbol : rule.target) key.push_back(is_gap(symbol) ? symbol : target_.of(symbol));
    out.fire_key(key);
  }
};

class ClassAlignment final : public ClassPairs {
 public:
  using ClassPairs::ClassPairs;

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    std::vector<std::int32_t> key;
    for_each_linked_part(rule, [&](std::span<const std::uint8_t> source, std::span<const std::uint8_t> target) {
      key.clear();
      for (const std::uint8_t i : source) key.push_back(source_.of(rule.source[i]));
      key.push_back(end_of_source);
      for (const std::uint8_t j : target) key.push_back(target_.of(rule.target[j]));
      out.fire_key(key);
    });
  }
};

// Templates that have a column for every class of one side.
class ClassCounts : public RuleTemplate {
 public:
  explicit ClassCounts(WordLabels labels) : labels_(std::move(labels)) {}
  std::size_t columns() const override { return labels_.size(); }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays&) const override {
    std::string out;
    append_word(labels_.name(key[0]), out);
    return out;
  }

 protected:
  void count(WordId word, FiredFeatures& out) const { out.fire(static_cast<std::size_t>(labels_.of(word))); }

 private:
  WordLabels labels_;
};

class TargetClass final : public ClassCounts {
 public:
  using ClassCounts::ClassCounts;
  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    for (const Symbol symbol : rule.target)
      if (!is_gap(symbol)) count(symbol, out);
  }
};

class SourceClassDeletion final : public ClassCounts {
 public:
  using ClassCounts::ClassCounts;
  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    std::array<bool, longest_side> linked;
    std::fill_n(linked.begin(), rule.source.size(), false);
    for (const RuleLink link : rule.links) linked[link.source] = true;
    for (std::size_t i = 0; i < rule.source.size(); ++i)
      if (!is_gap(rule.source[i]) && !linked[i]) count(rule.source[i], out);
  }
};

}  // namespace

WordLabels::WordLabels(std::vector<std::string> names, std::vector<std::int32_t> numbers)
    : names_(std::move(names)), numbers_(std::move(numbers)) {
  for (const std::int32_t number : numbers_)
    if (number < 0 || static_cast<std::size_t>(number) >= names_.size())
      throw Error("class " + std::to_string(number) + " has no name");
}

std::int32_t WordLabels::of(WordId word) const {
  if (word < 0 || static_cast<std::size_t>(word) >= numbers_.size())
    throw Error("word " + std::to_string(word) + " is not in the vocabulary");
  return numbers_[static_cast<std::size_t>(word)];
}

std::unique_ptr<RuleTemplate> class_rule(WordLabels source, WordLabels target) {
  return std::make_unique<ClassRule>(std::move(source), std::move(target));
}

std::unique_ptr<RuleTemplate> target_class(WordLabels target) {
  return std::make_unique<TargetClass>(std::move(target));
}

std::unique_ptr<RuleTemplate> class_alignment(WordLabels source, WordLabels target) {
  return std::make_unique<ClassAlignment>(std::move(source), std::move(target));
}

std::unique_ptr<RuleTemplate> source_class_deletion(WordLabels source) {
  return std::make_unique<SourceClassDeletion>(std::move(source));
}

}  // namespace tunesmith
