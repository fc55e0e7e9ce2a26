#include "grammar/extraction/leave_one_out_counts.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/probe.hpp"
#include "grammar/collection/counts.hpp"

namespace tunesmith {
namespace {

// Pairs that a thread takes at once.
constexpr std::size_t block = 64;

Symbol without_number(Symbol symbol) {
  return is_gap(symbol) ? first_gap : symbol;
}

std::span<const Symbol> target_of(const TableArrays& table, std::size_t rule) {
  const std::uint64_t begin = table.target_offsets[rule], end = table.target_offsets[rule + 1];
  if (begin > end || end > table.target_symbols.size())
    throw Error("the table is damaged: the target side of rule " + std::to_string(rule) + " has no place");
  return table.target_symbols.subspan(begin, end - begin);
}

// Sums the counts of equal ids and appends them as the entries of the next pair.
void append_sums(std::vector<std::pair<std::uint32_t, std::int64_t>>& found, PairCounts& out) {
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size();) {
    const std::uint32_t id = found[i].first;
    std::int64_t sum = 0;
    for (; i < found.size() && found[i].first == id; ++i) sum += found[i].second;
    out.ids.push_back(id);
    out.counts.push_back(as_double(sum));
  }
  out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
  found.clear();
}

void append(PairCounts& all, const PairCounts& part) {
  const std::int64_t first = all.offsets.back();
  for (std::size_t i = 1; i < part.offsets.size(); ++i) all.offsets.push_back(first + part.offsets[i]);
  all.ids.insert(all.ids.end(), part.ids.begin(), part.ids.end());
  all.counts.insert(all.counts.end(), part.counts.begin(), part.counts.end());
}

void check_sizes(const TableArrays& table) {
  const std::size_t rules = table.joint_counts.size(), sides = table.source_counts.size();
  if (table.target_offsets.size() != rules + 1 || table.source_rules.size() != sides + 1 ||
      table.source_offsets.size() != sides + 1)
    throw Error("the table is damaged: its arrays do not belong together");
  for (std::size_t side = 0; side < sides; ++side)
    if (table.source_rules[side] > table.source_rules[side + 1] || table.source_rules[side + 1] > rules)
      throw Error("the table is damaged: source_rules");
}

const TableArrays& checked(const TableArrays& table) {
  check_sizes(table);
  return table;
}

}  // namespace

TargetNumbers::TargetNumbers(const TableArrays& table)
    : table_(table), slots_(slots_for(table.joint_counts.size()), none) {
  of_rules_.reserve(table.joint_counts.size());
  for (std::uint32_t rule = 0; rule < table.joint_counts.size(); ++rule) {
    std::uint32_t& slot = slots_[slot_of(target_of(table, rule))];
    if (slot == none) slot = rule;
    of_rules_.push_back(slot);
  }
}

// Where the side is, or belongs.
std::size_t TargetNumbers::slot_of(std::span<const Symbol> target) const {
  std::uint64_t hash = target.size();
  for (const Symbol symbol : target) hash = mix(hash, static_cast<std::uint32_t>(without_number(symbol)));
  return probe(slots_, hash, [&](std::uint32_t rule) {
    return rule == none || std::ranges::equal(target_of(table_, rule), target, {}, without_number, without_number);
  });
}

LeaveOneOutFinder::LeaveOneOutFinder(WordNumbers source, WordNumbers target, const Alignments& alignments,
                                     const TableArrays& table, const Options& options)
    : source_(source),
      target_(target),
      alignments_(alignments),
      table_(checked(table)),
      options_(options),
      trie_(table.source_symbols, table.source_offsets, options.source_words),
      targets_(table) {
  if (options_.phrase.has_value() == options_.hiero.has_value())
    throw Error("either phrase pairs or hierarchical rules are extracted");
  if (options_.phrase) check_options(*options_.phrase);
  if (options_.hiero) check_options(*options_.hiero);
  if (source_.size() != target_.size() || source_.size() != alignments_.size())
    throw Error(std::to_string(source_.size()) + " source sentences, " + std::to_string(target_.size()) +
                " target sentences and " + std::to_string(alignments_.size()) + " alignments");
  for (std::size_t i = 0; i < alignments_.size(); ++i)
    for (const Link& link : alignments_.of(i))
      if (static_cast<std::size_t>(link.source) >= source_.of(i).size() ||
          static_cast<std::size_t>(link.target) >= target_.of(i).size())
        throw LineError(static_cast<std::int64_t>(i) + 1, "link " + std::to_string(link.source) + '-' +
                                                              std::to_string(link.target) +
                                                              " points outside the sentences");
}

std::uint32_t LeaveOneOutFinder::side_of(std::span<const Symbol> source) const {
  RuleTrie::Node node = RuleTrie::root;
  for (const Symbol symbol : source) {
    node = is_gap(symbol) ? trie_.gap(node) : trie_.child(node, static_cast<std::uint32_t>(symbol));
    if (node == RuleTrie::none) return RuleTrie::none;
  }
  return trie_.side(node);
}

std::uint32_t LeaveOneOutFinder::rule_of(std::uint32_t side, std::span<const Symbol> target) const {
  std::uint64_t low = table_.source_rules[side], high = table_.source_rules[side + 1];
  const std::uint64_t end = high;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (std::ranges::lexicographical_compare(target_of(table_, middle), target))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == end || !std::ranges::equal(target_of(table_, low), target)) return TargetNumbers::none;
  return static_cast<std::uint32_t>(low);
}

// What one thread needs for one pair after the other.
class LeaveOneOutFinder::Pair {
 public:
  RuleExtractor extractor;
  Occurrences found;
  std::vector<std::pair<std::uint32_t, std::int64_t>> rules, sides, targets;
  std::vector<std::pair<std::span<const Symbol>, std::span<const Symbol>>> missing;
  std::vector<Symbol> words;
};

void LeaveOneOutFinder::find_pair(std::size_t pair, Pair& work, LeaveOneOutCounts& out) const {
  const AlignedPair aligned{source_.of(pair), target_.of(pair), alignments_.of(pair)};
  if (options_.hiero)
    work.extractor.hiero(aligned, *options_.hiero, work.found);
  else
    work.extractor.phrases(aligned, *options_.phrase, work.found);
  work.missing.clear();
  work.words.clear();
  for (std::size_t k = 0; k < work.found.size(); ++k) {
    const RuleView rule = work.found.rule(k);
    const std::int64_t count = count_of(work.found.shared_by(k));
    const std::uint32_t side = side_of(rule.source), target = targets_.find(rule.target);
    const std::uint32_t number = side == RuleTrie::none ? TargetNumbers::none : rule_of(side, rule.target);
    if (side != RuleTrie::none) work.sides.emplace_back(side, count);
    if (target != TargetNumbers::none) work.targets.emplace_back(target, count);
    if (number != TargetNumbers::none)
      work.rules.emplace_back(number, count);
    else
      work.missing.emplace_back(rule.source, rule.target);
    for (const Symbol symbol : rule.source)
      if (!is_gap(symbol)) work.words.push_back(symbol);
  }
  const std::size_t first = out.rules.ids.size();
  append_sums(work.rules, out.rules);
  append_sums(work.sides, out.sides);
  append_sums(work.targets, out.targets);
  for (std::size_t i = first; i < out.rules.ids.size(); ++i)
    if (out.rules.counts[i] > table_.joint_counts[out.rules.ids[i]])
      throw Error("sentence pair " + std::to_string(pair + 1) + " alone gives rule " +
                  std::to_string(out.rules.ids[i]) +
                  " a larger count than the table has; it was made from other " + "data, or with other settings");

  std::sort(work.words.begin(), work.words.end());
  work.words.erase(std::unique(work.words.begin(), work.words.end()), work.words.end());
  for (const Symbol& word : work.words) {
    const std::uint32_t side = side_of({&word, 1});
    if (side == RuleTrie::none) continue;
    // A rule is made for a word that has no other rule.
    const std::uint64_t rule = table_.source_rules[side];
    if (rule + 1 != table_.source_rules[side + 1] || table_.joint_counts[rule] != 0) continue;
    out.made_pairs.push_back(static_cast<std::int64_t>(pair));
    out.made_rules.push_back(static_cast<std::uint32_t>(rule));
  }

  const auto before = [](const auto& a, const auto& b) {
    return std::ranges::equal(a.first, b.first) ? std::ranges::lexicographical_compare(a.second, b.second)
                                                : std::ranges::lexicographical_compare(a.first, b.first);
  };
  std::sort(work.missing.begin(), work.missing.end(), before);
  for (std::size_t i = 0; i < work.missing.size(); ++i)
    out.missing += i == 0 || before(work.missing[i - 1], work.missing[i]);
}

LeaveOneOutCounts LeaveOneOutFinder::find(std::size_t begin, std::size_t end) const {
  if (begin > end || end > pairs()) throw Error("there are only " + std::to_string(pairs()) + " sentence pairs");
  std::vector<LeaveOneOutCounts> parts((end - begin + block - 1) / block);
  std::atomic<std::size_t> next = 0;
  const std::size_t workers = static_cast<std::size_t>(std::max(options_.threads, 1));
  parallel_ranges(workers, options_.threads, [&](std::size_t, std::size_t) {
    Pair work;
    for (std::size_t part = next++; part < parts.size(); part = next++)
      for (std::size_t i = begin + part * block; i < std::min(begin + (part + 1) * block, end); ++i)
        find_pair(i, work, parts[part]);
  });
  LeaveOneOutCounts all;
  for (LeaveOneOutCounts& part : parts) {
    append(all.rules, part.rules);
    append(all.sides, part.sides);
    append(all.targets, part.targets);
    all.made_pairs.insert(all.made_pairs.end(), part.made_pairs.begin(), part.made_pairs.end());
    all.made_rules.insert(all.made_rules.end(), part.made_rules.begin(), part.made_rules.end());
    all.missing += part.missing;
    part = {};
  }
  return all;
}

}  // namespace tunesmith
