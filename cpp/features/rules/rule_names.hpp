// Names of rules, made from the table on demand: millions of them cost nothing until then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  // The rule of this name, or nothing.
  std::optional<RuleId> find(std::string_view name) const;
  // The same for many names, -1 for nothing. They are looked up in the order of the table, whatever theirs is, so
  // that each search is a short one near the last.
  std::vector<std::int64_t> find_all(std::span<const std::string_view> names, int threads) const;

 private:
  struct Query {
    std::uint64_t place;  // rises with the place in the table: the first two symbols of the source side
    std::size_t name;
    std::size_t symbols;
    std::uint32_t source_size, target_size;
  };

  bool read(std::string_view name, std::vector<Symbol>& source, std::vector<Symbol>& target) const;
  // `near` is the source side to begin at, and then the one found.
  std::optional<RuleId> find(std::span<const Symbol> source, std::span<const Symbol> target,
                             std::size_t& near) const;
  std::optional<std::size_t> find_side(std::span<const Symbol> source, std::size_t near) const;

  RuleArrays rules_;
};

}  // namespace tunesmith
