// A rule table and the names of features as Python holds them.
#pragma once

#include <memory>
#include <vector>

#include "bind/convert.hpp"
#include "features/feature_index.hpp"
#include "features/rule_arrays.hpp"
#include "grammar/tables/rule_trie.hpp"

namespace tunesmith::bind {

// Arrays of a table, held: arrays that had to be converted are our copies, the others are the caller's.
// Vocabularies are kept alive by the object.
struct HeldRules : RuleArrays {
  HeldRules(const nb::dict& arrays, std::size_t columns, const Vocabulary& source, const Vocabulary& target) {
    source_offsets = hold<std::uint64_t>(arrays, "source_offsets");
    source_rules = hold<std::uint64_t>(arrays, "source_rules");
    target_offsets = hold<std::uint64_t>(arrays, "target_offsets");
    link_offsets = hold<std::uint64_t>(arrays, "link_offsets");
    source_symbols = hold<Symbol>(arrays, "source_symbols");
    target_symbols = hold<Symbol>(arrays, "target_symbols");
    links = hold<std::uint8_t>(arrays, "links");
    scores = hold<float>(arrays, "scores");
    occurrences = hold<std::uint32_t>(arrays, "occurrences");
    score_columns = columns;
    source_words = &source;
    target_words = &target;
    check();
  }
  // The trie of a decoder of this table, which others take: it goes with the last of them. With the GIL held.
  mutable std::weak_ptr<const RuleTrie> trie;

  // The arrays live as long as this; to be let go with the GIL held.
  std::shared_ptr<const void> owner() const { return std::make_shared<std::vector<std::shared_ptr<void>>>(held_); }

 private:
  template <class T>
  std::span<const T> hold(const nb::dict& arrays, const char* name) {
    const auto array = std::make_shared<Array<T>>(nb::cast<Array<T>>(arrays[name]));
    held_.push_back(array);
    return {array->data(), array->size()};
  }
  std::vector<std::shared_ptr<void>> held_;
};

// Names of rules are read from the table, which is therefore held.
struct HeldIndex : Guarded<FeatureIndex> {
  nb::object rules;
};

}  // namespace tunesmith::bind
