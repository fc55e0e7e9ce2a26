#include "features/rule_names.hpp"

#include <algorithm>

#include "features/names.hpp"

namespace tunesmith {
namespace {

bool less(std::span<const Symbol> a, std::span<const Symbol> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// The first index in [low, high) for which `before` is false; it is true up to there and false from there on.
template <class Before>
std::size_t partition(std::size_t low, std::size_t high, Before before) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

std::string RuleNames::name(RuleId rule) const {
  const RuleEntry entry = rules_.entry(rule, rules_.side_of(rule));
  std::string out;
  append_symbols(entry.source, *rules_.source_words, out);
  out += '|';
  append_symbols(entry.target, *rules_.target_words, out);
  return out;
}

std::optional<std::size_t> RuleNames::find_side(std::span<const Symbol> source, std::size_t near) const {
  const auto before = [&](std::size_t side) { return less(rules_.source(side), source); };
  std::size_t low = 0, high = rules_.sides();
  if (near < high) {  // gallop away from where the last one was
    std::size_t step = 1;
    if (before(near)) {
      low = near + 1;
      for (; low + step < high && before(low + step); step *= 2) low += step + 1;
      high = std::min(low + step, high);
    } else {
      high = near;
      for (; step <= high && !before(high - step); step *= 2) high -= step;
      low = step <= high ? high - step + 1 : 0;
    }
  }
  const std::size_t found = partition(low, high, before);
  if (found == rules_.sides() || !std::ranges::equal(rules_.source(found), source)) return std::nullopt;
  return found;
}

std::optional<RuleId> RuleNames::find(std::string_view name, Place& place) const {
  const std::size_t bar = name.find('|');
  if (bar == std::string_view::npos || !read_symbols(name.substr(0, bar), *rules_.source_words, place.source) ||
      !read_symbols(name.substr(bar + 1), *rules_.target_words, place.target))
    return std::nullopt;
  const auto side = find_side(place.source, place.side);
  if (!side) return std::nullopt;
  place.side = *side;
  const std::uint64_t begin = rules_.source_rules[*side], end = rules_.source_rules[*side + 1];
  if (begin > end || end > rules_.rules()) return std::nullopt;
  const std::size_t found =
      partition(begin, end, [&](std::size_t rule) { return less(rules_.target(rule), place.target); });
  if (found == end || !std::ranges::equal(rules_.target(found), place.target)) return std::nullopt;
  return static_cast<RuleId>(found);
}

}  // namespace tunesmith
