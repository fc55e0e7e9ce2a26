// The arrays of a rule table that search reads, as the memory map gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"

namespace tunesmith {

// See docs/grammar.md. Source side s has symbols and rules, rule r has a target side and links. Nothing is checked
// before it is touched: a table is opened without reading it.
struct RuleArrays {
  std::span<const std::uint64_t> source_offsets, source_rules, target_offsets, link_offsets;
  std::span<const std::int32_t> source_symbols, target_symbols;
  std::span<const std::uint8_t> links;  // pairs of positions (source, target)

  std::size_t sides() const { return source_rules.empty() ? 0 : source_rules.size() - 1; }
  std::size_t rules() const { return target_offsets.empty() ? 0 : target_offsets.size() - 1; }

  std::span<const std::int32_t> source(std::size_t side) const {
    return slice(source_symbols, source_offsets, side, 1, "source_offsets");
  }
  std::span<const std::int32_t> target(std::size_t rule) const {
    return slice(target_symbols, target_offsets, rule, 1, "target_offsets");
  }
  std::span<const std::uint8_t> links_of(std::size_t rule) const {
    return slice(links, link_offsets, rule, 2, "link_offsets");
  }

 private:
  template <class T>
  static std::span<const T> slice(std::span<const T> values, std::span<const std::uint64_t> offsets,
                                  std::size_t at, std::size_t width, const char* name) {
    const std::uint64_t begin = offsets[at], end = offsets[at + 1];
    if (begin > end || end > values.size() / width)
      throw Error(std::string(name) + ": entry " + std::to_string(at) + " is not possible; the table is damaged");
    return values.subspan(begin * width, (end - begin) * width);
  }
};

}  // namespace tunesmith
