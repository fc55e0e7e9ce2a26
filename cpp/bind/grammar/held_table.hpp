// Sentences and rule tables as Python holds them.
#pragma once

#include <string>
#include <vector>

#include "alignment/lexical_table.hpp"
#include "bind/convert.hpp"
#include "bind/grammar/held_rules.hpp"
#include "grammar/tables/table_arrays.hpp"

namespace tunesmith::bind {

using WordIds = Array<WordId>;

inline WordNumbers numbers(const WordIds& ids, const Integers& offsets) {
  if (offsets.size() == 0 || offsets(0) != 0 ||
      offsets(offsets.size() - 1) != static_cast<std::int64_t>(ids.size()))
    throw Error("offsets must rise from 0 to the number of words");
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets(i) < offsets(i - 1)) throw Error("offsets must rise from 0 to the number of words");
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids(i) < 0) throw Error("word numbers must be 0 or more");
  return {span_of(ids), span_of(offsets)};
}

// The arrays of a table, held so that they stay while the GIL is released.
struct HeldArrays {
  explicit HeldArrays(const nb::dict& arrays)
      : table{.source_offsets = values<std::uint64_t>(arrays, "source_offsets"),
              .source_rules = values<std::uint64_t>(arrays, "source_rules"),
              .target_offsets = values<std::uint64_t>(arrays, "target_offsets"),
              .link_offsets = values<std::uint64_t>(arrays, "link_offsets"),
              .source_symbols = values<Symbol>(arrays, "source_symbols"),
              .target_symbols = values<Symbol>(arrays, "target_symbols"),
              .links = values<std::uint8_t>(arrays, "links"),
              .scores = values<float>(arrays, "scores"),
              .source_counts = values<double>(arrays, "source_counts"),
              .target_counts = values<double>(arrays, "target_counts"),
              .joint_counts = values<double>(arrays, "joint_counts")} {}

  std::vector<nb::object> held;
  TableArrays table;

 private:
  template <class T>
  std::span<const T> values(const nb::dict& arrays, const char* name) {
    held.emplace_back(arrays[name]);
    Array<T> array;
    // Without conversion: what is converted would be gone after the call.
    if (!nb::try_cast(held.back(), array, false))
      throw Error(std::string(name) + " is not a flat array of the type that rule tables have");
    return {array.data(), array.size()};
  }
};

}  // namespace tunesmith::bind
