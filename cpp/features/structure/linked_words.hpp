// All pairs of words that links of a rule table join, and the pairs of forms that stand for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_table.hpp"
#include "features/rule_arrays.hpp"
#include "features/structure/token_forms.hpp"

namespace tunesmith {

// Pairs of words are numbered in the order of the table, pairs of forms in the order of the pairs of words. Pair 0
// is that of two unknown words: what passes through.
class LinkedWords {
 public:
  static constexpr std::uint32_t unknown = 0;

  // The forms are those of source and of target words; combine as in for_each_form_pair.
  LinkedWords(const RuleArrays& rules, TokenForms source, TokenForms target, Combine combine);

  // The number of a pair that a link of the table joins.
  std::uint32_t pair(std::uint32_t source, std::uint32_t target) const { return pairs_.find(key(source, target)); }
  // Pairs of forms of a pair: different ones if each goes with each, else one of each kind.
  std::span<const std::uint32_t> forms(std::uint32_t pair) const {
    return std::span(forms_).subspan(starts_[pair], starts_[pair + 1] - starts_[pair]);
  }
  Combine combine() const { return combine_; }
  // The name `s|t` of a pair of forms; NumberTable::none for a name that none has.
  std::string name(std::uint32_t form_pair) const;
  std::uint32_t find(std::string_view name) const;

 private:
  static std::uint64_t key(std::uint32_t source, std::uint32_t target) {
    return static_cast<std::uint64_t>(source) << 32 | target;
  }
  void add(std::uint32_t source, std::uint32_t target);

  TokenForms source_, target_;
  Combine combine_;
  NumberTable pairs_, form_pairs_;
  std::vector<std::uint64_t> form_keys_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint32_t> forms_;
};

}  // namespace tunesmith
