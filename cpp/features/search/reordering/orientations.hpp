// Where a phrase stands in the source, seen from the phrase in front of it in the translation, and names for that.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "features/search/state_feature.hpp"
#include "grammar/extraction/orientation.hpp"

namespace tunesmith {

// Orientation of the phrase [begin, end) after the phrase [last_begin, last_end). The first phrase follows
// nothing, [0, 0): it is monotone at the begin of the sentence and to the right otherwise.
inline Orientation orientation(std::uint32_t last_begin, std::uint32_t last_end, std::uint32_t begin,
                               std::uint32_t end) {
  if (begin == last_end) return Orientation::monotone;
  if (end == last_begin) return Orientation::swap;
  return begin < last_end ? Orientation::discontinuous_left : Orientation::discontinuous_right;
}

// A name may stand for several orientations.
struct OrientationName {
  std::string_view name;
  std::array<bool, orientation_count> holds;
};

inline constexpr OrientationName orientation_names[] = {
    {"monotone", {true, false, false, false}},
    {"swap", {false, true, false, false}},
    {"discontinuous", {false, false, true, true}},
    {"discontinuous-left", {false, false, true, false}},
    {"discontinuous-right", {false, false, false, true}},
    {"non-monotone", {false, true, true, true}},
};

// Null if there is no such name.
inline const OrientationName* find_orientation(std::string_view name) {
  const auto* const found = std::ranges::find(orientation_names, name, &OrientationName::name);
  return found == std::end(orientation_names) ? nullptr : found;
}

// Whether an edge of phrase-based search appends a phrase; others begin and end a sentence.
inline bool is_phrase(const Combination& edge) {
  return edge.side.join == Join::rule || edge.side.join == Join::unknown;
}

}  // namespace tunesmith
