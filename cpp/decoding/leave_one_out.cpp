#include "decoding/leave_one_out.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

// Sizes of the set of targets that may be own ones: for a sentence pair, and for a part of the data.
constexpr std::size_t least_words = 256, bits_per_target = 16;

void check_entries(const OwnEntries& entries, std::size_t pairs, std::size_t ids, bool counted, const char* what) {
  const auto fail = [&](const char* why) { throw Error("own " + std::string(what) + ": " + why); };
  const auto& offsets = entries.offsets;
  if (offsets.size() != pairs + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(entries.ids.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    fail("offsets must rise from 0 to the number of entries, for as many sentence pairs as the others");
  if (counted && entries.counts.size() != entries.ids.size()) fail("there must be a count for every entry");
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const auto own = entries.of(pair).ids;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] >= ids || (i > 0 && own[i] <= own[i - 1])) fail("numbers must rise and be those of the table");
  }
  for (const double count : entries.counts)
    if (!(count > 0 && std::isfinite(count))) fail("counts must be more than 0");
}

// ln(whole / (whole - part)). Where nothing is left no rule is used; neither rounding nor the counts of a damaged
// table must make an infinity of it.
double raised_by(double whole, double part) {
  const double ratio = whole / (whole - part);
  return part > 0 && whole > part && std::isfinite(ratio) ? std::log(ratio) : 0;
}

}  // namespace

double OwnEntries::Pair::count(std::uint32_t id) const {
  const auto found = std::lower_bound(ids.begin(), ids.end(), id);
  if (found == ids.end() || *found != id) return 0;
  return counts[static_cast<std::size_t>(found - ids.begin())];
}

OwnEntries::Pair OwnEntries::of(std::size_t pair) const {
  const auto begin = static_cast<std::size_t>(offsets[pair]), end = static_cast<std::size_t>(offsets[pair + 1]);
  return {ids.subspan(begin, end - begin), counts.empty() ? counts : counts.subspan(begin, end - begin)};
}

void LeaveOneOut::check() const {
  if (rules.offsets.empty()) throw Error("leave-one-out counts: offsets must begin with 0");
  const std::size_t number = joint_counts.size();
  if (target_counts.size() != number || target_numbers.size() != number)
    throw Error("leave-one-out counts: there must be counts and a target side for every rule");
  check_entries(rules, pairs(), number, true, "rules");
  check_entries(sides, pairs(), source_counts.size(), true, "source sides");
  check_entries(targets, pairs(), number, true, "target sides");
  check_entries(made, pairs(), number, false, "single words");
}

void OwnPair::start(const LeaveOneOut& all, std::size_t pair) {
  if (all_ == &all && pair_ == pair) return;
  all_ = &all;
  pair_ = pair;
  rules_ = all.rules.of(pair);
  sides_ = all.sides.of(pair);
  targets_ = all.targets.of(pair);
  made_ = all.made.of(pair);
  const std::size_t words = std::bit_ceil(std::max(least_words, targets_.ids.size() * bits_per_target / 64));
  may_be_own_.assign(words, 0);
  for (const std::uint32_t target : targets_.ids)
    may_be_own_[target / 64 & (words - 1)] |= std::uint64_t{1} << target % 64;
}

std::size_t OwnPair::first_own(RuleId rule) const {
  return static_cast<std::size_t>(std::lower_bound(rules_.ids.begin(), rules_.ids.end(), rule) -
                                  rules_.ids.begin());
}

bool OwnPair::is_used(RuleId rule, double own_count) const {
  if (own_count > 0) return own_count < all_->joint_counts[rule];
  return made_.ids.empty() || !std::binary_search(made_.ids.begin(), made_.ids.end(), rule);
}

double OwnPair::side_change(std::uint32_t side) const {
  return raised_by(all_->source_counts[side], sides_.count(side));
}

ScoreChange OwnPair::change(RuleId rule, double own_count, double of_side) const {
  const double joint = all_->joint_counts[rule];
  if (joint == 0) return {};  // made for a single word: its scores are lexical weights
  const std::uint32_t target = all_->target_numbers[rule];
  const double of_target = may_be_own(target) ? raised_by(all_->target_counts[rule], targets_.count(target)) : 0.0;
  const double of_rule = -raised_by(joint, own_count);
  return {static_cast<float>(of_rule + of_side), static_cast<float>(of_rule + of_target)};
}

bool OwnPair::concerns(std::uint32_t side, RuleId begin, RuleId end) const {
  if (std::binary_search(sides_.ids.begin(), sides_.ids.end(), side)) return true;
  const std::size_t own = first_own(begin);
  if (own < rules_.ids.size() && rules_.ids[own] < end) return true;
  for (RuleId rule = begin; rule < end; ++rule) {
    if (may_be_own(all_->target_numbers[rule]) && targets_.count(all_->target_numbers[rule]) > 0) return true;
    if (!made_.ids.empty() && std::binary_search(made_.ids.begin(), made_.ids.end(), rule)) return true;
  }
  return false;
}

}  // namespace tunesmith
