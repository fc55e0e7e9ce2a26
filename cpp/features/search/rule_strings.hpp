// Rules as strings, of words or of classes: what features across rules are named by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "features/rule_arrays.hpp"
#include "features/rules/class_features.hpp"
#include "features/rules/rule_names.hpp"

namespace tunesmith {

// Strings have the numbers 0 to size() - 1.
class RuleStrings {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  virtual ~RuleStrings() = default;
  virtual std::size_t size() const = 0;
  // The string of a rule; those after the table are words passed through. `none` for a rule without one.
  virtual std::uint32_t of(RuleId rule) const = 0;
  virtual std::string name(std::uint32_t string) const = 0;
  // The inverse of name().
  virtual std::optional<std::uint32_t> find(std::string_view name) const = 0;
};

// The words of rules that were seen more often than `more_than`, of all rules if it is 0. Words passed through
// have none. The number of a string is that of its rule.
class WordStrings final : public RuleStrings {
 public:
  // The arrays outlive it.
  WordStrings(const RuleArrays& rules, std::uint32_t more_than)
      : rules_(rules), names_(rules), more_than_(more_than) {}
  std::size_t size() const override { return rules_.rules(); }
  std::uint32_t of(RuleId rule) const override {
    return rule < rules_.rules() && (more_than_ == 0 || rules_.occurrences[rule] > more_than_) ? rule : none;
  }
  std::string name(std::uint32_t string) const override { return names_.name(string); }
  std::optional<std::uint32_t> find(std::string_view name) const override;

 private:
  RuleArrays rules_;
  RuleNames names_;
  std::uint32_t more_than_;
};

// The classes of one side, and that of words passed through.
struct SideClasses {
  WordLabels labels;
  std::int32_t unknown;
};

// The classes of the words of rules; rules with equal classes share a string. A word passed through is of the
// unknown class on both sides.
class ClassStrings final : public RuleStrings {
 public:
  // Throws Error if the arrays are damaged.
  ClassStrings(const RuleArrays& rules, SideClasses source, SideClasses target);
  std::size_t size() const override { return starts_.size() - 1; }
  std::uint32_t of(RuleId rule) const override { return rule < of_rules_.size() ? of_rules_[rule] : passed_; }
  std::string name(std::uint32_t string) const override;
  std::optional<std::uint32_t> find(std::string_view name) const override;

 private:
  using Names = std::unordered_map<std::string, std::int32_t>;
  using Classes = std::span<const std::int32_t>;  // of the source side, a mark, and of the target side
  static Names names_of(const WordLabels& labels);
  Classes classes(std::uint32_t string) const;
  std::size_t slot_of(Classes classes) const;
  std::uint32_t add(Classes classes);

  SideClasses source_, target_;
  Names source_names_, target_names_;
  std::vector<std::uint32_t> of_rules_;
  std::vector<std::int32_t> symbols_;  // classes of all strings
  std::vector<std::uint64_t> starts_ = {0};
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16, none);  // numbers of strings
  std::uint32_t passed_ = none;
};

}  // namespace tunesmith
