#include "features/rule_arrays.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

constexpr const char* outside = "an offset points outside its array";

[[noreturn]] void damaged(const char* what) {
  throw Error(std::string("the rule table is damaged: ") + what);
}

template <class T>
std::span<const T> part(std::span<const T> values, std::span<const std::uint64_t> offsets, std::size_t at) {
  const std::uint64_t begin = offsets[at], end = offsets[at + 1];
  if (begin > end || end > values.size()) damaged(outside);
  return values.subspan(begin, end - begin);
}

void check_symbols(std::span<const Symbol> symbols, std::size_t words) {
  for (const Symbol symbol : symbols)
    if (symbol < second_gap || (symbol >= 0 && static_cast<std::size_t>(symbol) >= words))
      damaged("a word is not in the vocabulary");
}

}  // namespace

void RuleArrays::check() const {
  const std::size_t size = rules();
  if (size >= std::numeric_limits<RuleId>::max() - static_cast<RuleId>(SpecialRule::count))
    throw Error("the table has " + std::to_string(size) + " rules; up to 2^32 - 6 can have features");
  if (source_rules.empty() || source_offsets.size() != source_rules.size() || target_offsets.size() != size + 1 ||
      link_offsets.size() != size + 1 || scores.size() != size * score_columns || links.size() % 2 != 0 ||
      source_rules.front() != 0 || source_rules.back() != size)
    damaged("the lengths of its arrays do not agree");
  if (source_words == nullptr || target_words == nullptr) throw Error("the vocabularies of the table are missing");
}

void RuleArrays::check_order() const {
  if (!std::ranges::is_sorted(source_rules)) damaged("the rules of its source sides overlap");
}

std::size_t RuleArrays::side_of(std::size_t rule) const {
  const auto after = std::upper_bound(source_rules.begin(), source_rules.end(), rule);
  if (after == source_rules.begin() || after == source_rules.end()) damaged("a rule has no source side");
  return static_cast<std::size_t>(after - source_rules.begin()) - 1;
}

std::span<const Symbol> RuleArrays::source(std::size_t side) const {
  return part(source_symbols, source_offsets, side);
}

void RuleArrays::damaged_offset() {
  damaged(outside);
}

RuleEntry RuleArrays::entry(std::size_t rule, std::size_t side) const {
  const std::span pairs(reinterpret_cast<const RuleLink*>(links.data()), links.size() / 2);
  const RuleEntry entry{static_cast<RuleId>(rule), source(side), target(rule), part(pairs, link_offsets, rule),
                        occurrences[rule]};
  if (entry.source.size() > longest_side || entry.target.size() > longest_side) damaged("a side is too long");
  check_symbols(entry.source, source_words->size());
  check_symbols(entry.target, target_words->size());
  for (const RuleLink link : entry.links)
    if (link.source >= entry.source.size() || link.target >= entry.target.size() ||
        is_gap(entry.source[link.source]) || is_gap(entry.target[link.target]))
      damaged("a link points outside the words of its rule");
  return entry;
}

}  // namespace tunesmith
