#include "grammar/collection/part_collector.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "grammar/collection/counts.hpp"
#include "grammar/extraction/rule_groups.hpp"

namespace tunesmith {
namespace {

// Adds nothing, only asks for the sums.
KeyedRecord question(const SideKey& key, KeyedRow row) {
  return {key.high, 0, row, key.low, -1};
}

// The key of the rules with a side that are of one kind.
SideKey key_of_kind(const SideKey& side, std::uint32_t kind) {
  return {mix(side.high, kind), side.low};
}

class PartCollector {
 public:
  PartCollector(const PartContext& context, std::uint32_t number, std::span<const std::uint32_t> records)
      : context_(context),
        number_(number),
        rules_(records, context.labels, context.options.reordering.has_value()) {
    targets_.reserve(rules_.size());
  }

  PartRules run() {
    for (std::size_t begin = 0, end = 0; begin < rules_.size(); begin = end) {
      end = rules_.end_of_source(begin);
      add_source(begin, end);
    }
    const SideSums& sums = context_.sums;
    sums.targets->add(targets_);
    if (sums.target_shares) sums.target_shares->add(shares_);
    if (sums.source_pairs) {
      sums.source_pairs->add(asked_sources_);
      sums.target_pairs->add(asked_targets_);
    }
    return std::move(out_);
  }

 private:
  // A rule of a source side: its number, the alignment it keeps, lex(f|e) and lex(e|f).
  struct WeightedRule {
    std::size_t rule;
    std::span<const RuleLink> links;
    float backward, forward;
  };
  // Over the rules of a source side.
  struct SourceSums {
    std::int64_t count = 0;
    std::array<std::int64_t, 3> shares = {};
    std::array<std::uint32_t, 2> orders = {};
  };

  // The rules [begin, end), which are those of one source side.
  void add_source(std::size_t begin, std::size_t end) {
    const auto source = rules_[begin].record.source();
    const std::size_t first = targets_.size();
    const SourceSums sums = count(begin, end);
    const bool kept = context_.filter == nullptr || context_.filter->matches(source);
    if (kept) {
      weigh(begin, end);
      keep_top();
      for (const WeightedRule& weighted : side_) keep(weighted, targets_[first + weighted.rule - begin]);
    }
    if (context_.sums.target_shares) add_shares(begin, end);
    if (kept) close_source(source, sums);
  }

  SourceSums count(std::size_t begin, std::size_t end) {
    SourceSums sums;
    for (std::size_t i = begin; i < end; ++i) {
      const RuleGroups::Rule& rule = rules_[i];
      targets_.push_back(question(side_key(rule.record.target()), no_row));
      if (rule.occurrences == 0) continue;  // made up: no part of any sum
      const int order = is_swapped(rule.record.target()) ? 1 : 0;
      sums.count += rule.count;
      sums.shares[occurrence_kind(rule.occurrences)] += share_of(rule.count, rule.occurrences);
      ++sums.orders[static_cast<std::size_t>(order)];
      ++out_.counts_of_counts[rule.occurrences];
      targets_.back().count = rule.count;
      targets_.back().kind = order;
    }
    out_.all_rules += end - begin;
    ++out_.all_sources;
    return sums;
  }

  void weigh(std::size_t begin, std::size_t end) {
    const auto source = rules_[begin].record.source();
    side_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const auto target = rules_[i].record.target();
      const auto links = rules_.best_links(rules_[i]);
      side_.push_back({i, links.to_source,
                       stored_score(lexical_weight(context_.backward, target, source, links.to_target, true)),
                       stored_score(lexical_weight(context_.forward, source, target, links.to_source, false))});
    }
  }

  // The best of a source side by joint count, then lexical weight; in the order they had.
  void keep_top() {
    const auto most = static_cast<std::size_t>(context_.options.top);
    if (most == 0 || side_.size() <= most) return;
    std::sort(side_.begin(), side_.end(), [&](const WeightedRule& a, const WeightedRule& b) {
      return std::tuple(-rules_[a.rule].count, -a.forward, a.rule) <
             std::tuple(-rules_[b.rule].count, -b.forward, b.rule);
    });
    side_.resize(most);
    std::sort(side_.begin(), side_.end(), [](const auto& a, const auto& b) { return a.rule < b.rule; });
  }

  // `target`: what the rule adds to the sums of its target side, which its row now asks for.
  void keep(const WeightedRule& weighted, KeyedRecord& target) {
    const RuleGroups::Rule& rule = rules_[weighted.rule];
    target.row = {number_, narrow<std::uint32_t>(out_.joint_counts.size())};
    if (context_.sums.target_pairs) asked_targets_.push_back(question({target.key, target.check}, target.row));
    out_.add_rule(rule.record.target(), weighted.links);
    out_.joint_counts.push_back(as_double(rule.count));
    out_.occurrences.push_back(rule.occurrences);
    out_.pairs.push_back(rule.pairs);
    if (!context_.labels.empty()) out_.labels.push_back(rule.labels);
    out_.lexical.push_back(weighted.backward);
    out_.lexical.push_back(weighted.forward);
    if (context_.options.reordering)
      append_log_probabilities(rules_.orientations(weighted.rule), *context_.options.reordering, out_.reordering);
  }

  // What Kneser-Ney takes from the rules with a target side: each adds to the sum of its kind, and asks for all
  // three. The last of targets_ are those of the rules.
  void add_shares(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const KeyedRecord& target = targets_[targets_.size() - (end - i)];
      if (rules_[i].occurrences == 0) continue;
      const std::size_t own = occurrence_kind(rules_[i].occurrences);
      for (std::uint32_t kind = 0; kind < 3; ++kind) {
        const bool asked = target.row.block != no_row.block;
        if (!asked && kind != own) continue;
        const KeyedRow row = asked ? KeyedRow{target.row.block, 3 * target.row.at + kind} : no_row;
        shares_.push_back(question(key_of_kind({target.key, target.check}, kind), row));
        if (kind == own) shares_.back().count = share_of(rules_[i].count, rules_[i].occurrences);
      }
    }
  }

  void close_source(std::span<const Symbol> source, const SourceSums& sums) {
    out_.close_source(source);
    if (context_.sums.source_pairs)
      asked_sources_.push_back(
          question(side_key(source), {number_, narrow<std::uint32_t>(out_.source_counts.size())}));
    out_.source_counts.push_back(as_double(sums.count));
    for (const std::int64_t share : sums.shares) out_.source_shares.push_back(as_double(share));
    for (const std::uint32_t number_of : sums.orders) out_.source_orders.push_back(number_of);
  }

  const PartContext& context_;
  std::uint32_t number_;
  RuleGroups rules_;
  PartRules out_;
  std::vector<KeyedRecord> targets_, shares_, asked_sources_, asked_targets_;
  std::vector<WeightedRule> side_;  // the rules of one source side
};

}  // namespace

PartRules collect_part(const PartContext& context, std::uint32_t number, std::span<const std::uint32_t> records) {
  return PartCollector(context, number, records).run();
}

}  // namespace tunesmith
