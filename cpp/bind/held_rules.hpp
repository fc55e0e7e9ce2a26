// A rule table and the names of features as Python holds them.
#pragma once

#include "bind/convert.hpp"
#include "features/feature_index.hpp"
#include "features/rule_arrays.hpp"

namespace tunesmith::bind {

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> values(const nb::dict& arrays, const char* name) {
  const auto array = nb::cast<Values<T>>(arrays[name]);
  return {array.data(), array.size()};
}

// Arrays and vocabularies are kept alive by the object that holds them.
struct HeldRules : RuleArrays {
  HeldRules(nb::dict held_arrays, std::size_t columns, const Vocabulary& source, const Vocabulary& target)
      : arrays(nb::steal<nb::dict>(PyDict_Copy(held_arrays.ptr()))) {
    source_offsets = values<std::uint64_t>(arrays, "source_offsets");
    source_rules = values<std::uint64_t>(arrays, "source_rules");
    target_offsets = values<std::uint64_t>(arrays, "target_offsets");
    link_offsets = values<std::uint64_t>(arrays, "link_offsets");
    source_symbols = values<Symbol>(arrays, "source_symbols");
    target_symbols = values<Symbol>(arrays, "target_symbols");
    links = values<std::uint8_t>(arrays, "links");
    scores = values<float>(arrays, "scores");
    occurrences = values<std::uint32_t>(arrays, "occurrences");
    score_columns = columns;
    source_words = &source;
    target_words = &target;
    check();
  }
  nb::dict arrays;
};

// Names of rules are read from the table, which is therefore held.
struct HeldIndex : Guarded<FeatureIndex> {
  nb::object rules;
};

}  // namespace tunesmith::bind
