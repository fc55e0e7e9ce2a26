#include "grammar/extraction/rule_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/probe.hpp"
#include "grammar/collection/counts.hpp"

namespace tunesmith {
namespace {

bool same(std::span<const Symbol> a, std::span<const Symbol> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool before(std::span<const Symbol> a, std::span<const Symbol> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

bool same_links(const Record& a, const Record& b) {
  return std::equal(a.links().begin(), a.links().end(), b.links().begin(), b.links().end());
}

bool same_rule(const Record& a, const Record& b) {
  const std::size_t symbols = a.source_size() + a.target_size();
  return (a.at[0] & 0xFFFF) == (b.at[0] & 0xFFFF) &&
         std::memcmp(a.symbols(), b.symbols(), symbols * sizeof(Symbol)) == 0;
}

std::uint64_t hash_of(const Record& record) {
  const std::size_t symbols = record.source_size() + record.target_size();
  std::uint64_t hash = record.at[0] & 0xFFFF;
  for (std::size_t i = 0; i + 1 < symbols; i += 2) {
    std::uint64_t two;
    std::memcpy(&two, record.symbols() + i, sizeof two);
    hash = mix(hash, two);
  }
  return symbols % 2 == 0 ? hash : mix(hash, static_cast<std::uint32_t>(record.symbols()[symbols - 1]));
}

// Whether the links of `a` are greater than those of `b` as lists of sets, one set for every word of the first
// side of the pairs: at the first difference a larger element, or an element where the other set has ended, is
// greater.
template <class Key>
bool greater_as_sets(std::span<const RuleLink> a, std::span<const RuleLink> b, Key key) {
  std::vector<std::pair<int, int>> left, right;
  for (const RuleLink& link : a) left.push_back(key(link));
  for (const RuleLink& link : b) right.push_back(key(link));
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  const auto [x, y] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (x == left.end()) return false;
  if (y == right.end()) return true;
  return x->first == y->first ? x->second > y->second : x->first < y->first;
}

bool greater_to_source(std::span<const RuleLink> a, std::span<const RuleLink> b) {
  return greater_as_sets(a, b, [](const RuleLink& link) { return std::pair<int, int>(link.target, link.source); });
}
bool greater_to_target(std::span<const RuleLink> a, std::span<const RuleLink> b) {
  return greater_as_sets(a, b, [](const RuleLink& link) { return std::pair<int, int>(link.source, link.target); });
}

}  // namespace

RuleGroups::RuleGroups(std::span<const std::uint32_t> records, std::span<const std::uint64_t> labels,
                       bool oriented) {
  std::size_t record_count = 0;
  for (std::size_t at = 0; at < records.size(); at += Record{&records[at]}.words()) ++record_count;
  struct Slot {
    std::uint32_t hash, rule;
  };
  constexpr std::uint32_t empty = 0xFFFFFFFFu;
  std::vector<Slot> slots(std::bit_ceil(record_count * 3 / 2 + 2), Slot{0, empty});
  for (std::size_t at = 0; at < records.size();) {
    const Record record{&records[at]};
    at += record.words();
    const std::uint64_t hash = hash_of(record);
    const auto short_hash = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t slot = probe(slots, hash, [&](const Slot& known) {
      return known.rule == empty || (known.hash == short_hash && same_rule(rules_[known.rule].record, record));
    });
    const std::int64_t count = count_of(record.shared_by());
    const bool made_up = record.pair() == no_pair;
    const std::uint64_t label = made_up || labels.empty() ? 0 : labels[record.pair()];
    const auto orient = [&](std::size_t rule) {
      if (!oriented || made_up) return;
      ++orientations_[rule][0][record.orientation_before()];
      ++orientations_[rule][1][record.orientation_after()];
    };
    if (slots[slot].rule == empty) {
      if (oriented) orientations_.emplace_back();
      orient(rules_.size());
      slots[slot] = {short_hash, narrow<std::uint32_t>(rules_.size())};
      rules_.push_back({record, count, count, label, made_up ? 0u : 1u, made_up ? 0u : 1u, record.pair(), -1});
      continue;
    }
    orient(slots[slot].rule);
    Rule& rule = rules_[slots[slot].rule];
    rule.count += count;
    rule.labels |= label;
    rule.occurrences += 1;
    rule.pairs += rule.last_pair != record.pair() ? 1 : 0;
    rule.last_pair = record.pair();
    add_alignment(record, count, rule);
  }
  sort();
}

void RuleGroups::add_alignment(const Record& record, std::int64_t count, Rule& rule) {
  if (same_links(rule.record, record)) {
    rule.first_count += count;
    return;
  }
  for (std::int32_t k = rule.others; k >= 0;) {
    Alternative& other = alternatives_[static_cast<std::size_t>(k)];
    if (same_links(other.record, record)) {
      other.count += count;
      return;
    }
    k = other.next;
  }
  alternatives_.push_back({record, count, rule.others});
  rule.others = narrow<std::int32_t>(alternatives_.size()) - 1;
}

void RuleGroups::sort() {
  order_.resize(rules_.size());
  for (std::size_t i = 0; i < rules_.size(); ++i)
    order_[i] = {source_key(rules_[i].record.source()), static_cast<std::uint32_t>(i)};
  std::sort(order_.begin(), order_.end(), [&](const Place& a, const Place& b) {
    if (a.key != b.key) return a.key < b.key;
    const Record &x = rules_[a.rule].record, &y = rules_[b.rule].record;
    if (x.source_size() > 4 || y.source_size() > 4) {  // the key holds four symbols
      if (before(x.source(), y.source())) return true;
      if (before(y.source(), x.source())) return false;
    }
    return before(x.target(), y.target());
  });
}

std::size_t RuleGroups::end_of_source(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < size() && order_[end].key == order_[begin].key &&
         same((*this)[end].record.source(), (*this)[begin].record.source()))
    ++end;
  return end;
}

RuleGroups::Links RuleGroups::best_links(const Rule& rule) const {
  Links best{rule.record.links(), rule.record.links()};
  std::int64_t to_source = rule.first_count, to_target = rule.first_count;
  for (std::int32_t k = rule.others; k >= 0; k = alternatives_[static_cast<std::size_t>(k)].next) {
    const Alternative& other = alternatives_[static_cast<std::size_t>(k)];
    const auto links = other.record.links();
    if (other.count > to_source || (other.count == to_source && greater_to_source(links, best.to_source))) {
      to_source = other.count;
      best.to_source = links;
    }
    if (other.count > to_target || (other.count == to_target && greater_to_target(links, best.to_target))) {
      to_target = other.count;
      best.to_target = links;
    }
  }
  return best;
}

}  // namespace tunesmith
