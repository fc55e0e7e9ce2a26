#include "features/rules/rule_names.hpp"

#include <algorithm>

#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "features/rules/names.hpp"

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

bool RuleNames::read(std::string_view name, std::vector<Symbol>& source, std::vector<Symbol>& target) const {
  const std::size_t bar = name.find('|');
  return bar != std::string_view::npos && read_symbols(name.substr(0, bar), *rules_.source_words, source) &&
         read_symbols(name.substr(bar + 1), *rules_.target_words, target);
}

std::optional<RuleId> RuleNames::find(std::span<const Symbol> source, std::span<const Symbol> target,
                                      std::size_t& near) const {
  const auto side = find_side(source, near);
  if (!side) return std::nullopt;
  near = *side;
  const std::uint64_t begin = rules_.source_rules[*side], end = rules_.source_rules[*side + 1];
  if (begin > end || end > rules_.rules()) return std::nullopt;
  const std::size_t found =
      partition(begin, end, [&](std::size_t rule) { return less(rules_.target(rule), target); });
  if (found == end || !std::ranges::equal(rules_.target(found), target)) return std::nullopt;
  return static_cast<RuleId>(found);
}

std::optional<RuleId> RuleNames::find(std::string_view name) const {
  std::vector<Symbol> source, target;
  std::size_t near = rules_.sides();  // nowhere: the whole table is searched
  return read(name, source, target) ? find(source, target, near) : std::nullopt;
}

std::vector<std::int64_t> RuleNames::find_all(std::span<const std::string_view> names, int threads) const {
  // Gaps are negative and stand in front of words.
  const auto rising = [](Symbol symbol) { return static_cast<std::uint32_t>(symbol) ^ 0x80000000u; };
  constexpr std::size_t block = std::size_t{1} << 16;
  std::vector<std::int64_t> found(names.size(), -1);
  parallel_ranges(names.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Symbol> source, target, symbols;
    std::vector<Query> queries;
    std::size_t near = rules_.sides();
    const auto in_order = [&] { return std::ranges::is_sorted(queries, {}, &Query::place); };
    const auto look_up = [&] {
      if (!in_order()) std::ranges::sort(queries, {}, &Query::place);
      for (const Query& query : queries) {
        const std::span<const Symbol> both(symbols.data() + query.symbols, query.source_size + query.target_size);
        const auto rule = find(both.first(query.source_size), both.subspan(query.source_size), near);
        if (rule) found[query.name] = *rule;
      }
      queries.clear();
      symbols.clear();
    };
    for (std::size_t at = begin; at < end; ++at) {
      if (!read(names[at], source, target)) continue;
      const std::uint64_t first = source.empty() ? 0 : rising(source[0]);
      const std::uint64_t second = source.size() < 2 ? 0 : rising(source[1]);
      queries.push_back({first << 32 | second, at, symbols.size(), narrow<std::uint32_t>(source.size()),
                         narrow<std::uint32_t>(target.size())});
      symbols.insert(symbols.end(), source.begin(), source.end());
      symbols.insert(symbols.end(), target.begin(), target.end());
      // Names in the order of the table need not wait for the others; a block of them stays in the cache.
      if (queries.size() == block && in_order()) look_up();
    }
    look_up();
  });
  return found;
}

}  // namespace tunesmith
