// Translating the training data as if each sentence had not been in it (leave-one-out), or the part of the data
// that it is from.
//
// Without its own sentence pair a rule with the count c(f, e) has
//
//   p(e|f) = (c(f, e) - k(f, e)) / (c(f) - k(f))    p(f|e) = (c(f, e) - k(f, e)) / (c(e) - k(e))
//
// where k are the counts that come from the pair (grammar/extraction/leave_one_out_counts.hpp). A rule whose count
// is all from the pair is not used. Others are scored as the table says, plus the logarithm of the ratio between
// these relative frequencies and those with the pair: exact for relative frequencies, the same correction for
// smoothed ones. Rules of other pairs change as well when they have a side in common with the pair. Lexical
// weights stay. Where a whole part is left out, "pair" is the part, and k its counts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/application.hpp"

namespace tunesmith {

// Entries of pair i: [offsets[i], offsets[i + 1]), ids rise within it.
struct OwnEntries {
  std::span<const std::int64_t> offsets;
  std::span<const std::uint32_t> ids;
  std::span<const double> counts;

  struct Pair {
    std::span<const std::uint32_t> ids;
    std::span<const double> counts;
    // The count of an id, 0 where it is not among them.
    double count(std::uint32_t id) const;
  };
  Pair of(std::size_t pair) const;
};

// Views of what was found for the pairs of a corpus, and of the table.
struct LeaveOneOut {
  static constexpr std::uint32_t no_column = 0xFFFFFFFFu;

  OwnEntries rules, sides, targets;
  OwnEntries made;                                // rules for single words that only this pair has; no counts
  std::span<const std::uint32_t> target_numbers;  // of the target side of each rule
  std::span<const double> joint_counts, target_counts;         // of each rule
  std::span<const double> source_counts;                       // of each source side
  std::array<std::uint32_t, 2> columns{no_column, no_column};  // of ln p(e|f) and ln p(f|e)

  std::size_t pairs() const { return rules.offsets.size() - 1; }
  // Throws Error unless sizes and numbers fit together.
  void check() const;
};

// How much ln p(e|f) and ln p(f|e) of a rule differ from what the table has.
using ScoreChange = std::array<float, 2>;

// The same for one pair after the other; keeps its memory in between. One for each thread.
class OwnPair {
 public:
  // `all` was checked and outlives the pair. O(1) where it is the pair of before, as within a part.
  void start(const LeaveOneOut& all, std::size_t pair);
  const LeaveOneOut& all() const { return *all_; }

  // Whether a rule [begin, end) of the source side is not used, or has other scores. O(end - begin), a few bytes
  // of each rule.
  bool concerns(std::uint32_t side, RuleId begin, RuleId end) const;
  // Calls `visit(rule, change)` for those that are used.
  template <class Visit>
  void visit_used(std::uint32_t side, RuleId begin, RuleId end, Visit visit) const {
    visit_all(side, begin, end, visit, [](RuleId) {});
  }
  // The same, and `unused(rule)` for those that nothing but the pair has.
  template <class Visit, class Unused>
  void visit_all(std::uint32_t side, RuleId begin, RuleId end, Visit visit, Unused unused) const {
    const double of_side = side_change(side);
    std::size_t own = first_own(begin);
    for (RuleId rule = begin; rule < end; ++rule) {
      double count = 0;
      if (own < rules_.ids.size() && rules_.ids[own] == rule) count = rules_.counts[own++];
      if (is_used(rule, count))
        visit(rule, change(rule, count, of_side));
      else
        unused(rule);
    }
  }

 private:
  std::size_t first_own(RuleId rule) const;
  bool is_used(RuleId rule, double own_count) const;
  double side_change(std::uint32_t side) const;
  ScoreChange change(RuleId rule, double own_count, double of_side) const;
  bool may_be_own(std::uint32_t target) const {
    return may_be_own_[target / 64 & (may_be_own_.size() - 1)] >> target % 64 & 1;
  }

  const LeaveOneOut* all_ = nullptr;
  std::size_t pair_ = 0;
  OwnEntries::Pair rules_, sides_, targets_, made_;
  // Most targets are seen not to be own ones without a search: bits of their numbers modulo the number of bits, a
  // power of two.
  std::vector<std::uint64_t> may_be_own_;
};

}  // namespace tunesmith
