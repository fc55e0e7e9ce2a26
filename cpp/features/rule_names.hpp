// Names of rules, made from the table when somebody asks: millions of them cost nothing until then.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "features/rule_arrays.hpp"

namespace tunesmith {

// A rule is called `source|target`, as append_symbols writes the sides. So it has the same name in every table
// that has it, filtered or not.
class RuleNames {
 public:
  // The views must stay valid. Throws Error if the arrays do not fit together.
  explicit RuleNames(const RuleArrays& rules) : rules_(rules) { rules_.check(); }

  std::size_t size() const { return rules_.rules(); }
  std::string name(RuleId rule) const;

  // Memory of one sequence of look-ups, so that names in the order of the table are found without a search.
  struct Place {
    std::size_t side = 0;
    std::vector<Symbol> source, target;
  };
  // The rule of this name, or nothing.
  std::optional<RuleId> find(std::string_view name, Place& place) const;

 private:
  std::optional<std::size_t> find_side(std::span<const Symbol> source, std::size_t near) const;

  RuleArrays rules_;
};

}  // namespace tunesmith
