// Three sentence pairs by hand: a b / A B, a / A, a / B.
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "check.hpp"
#include "decoding/leave_one_out.hpp"
#include "grammar/extraction/leave_one_out_counts.hpp"

using namespace tunesmith;

namespace {

constexpr Symbol a = 3, b = 4, A = 3, B = 4;

struct Corpus {
  std::vector<WordId> source{a, b, a, a}, target{A, B, A, B};
  std::vector<std::int64_t> offsets{0, 2, 3, 4};
  Alignments alignments;
  Corpus() {
    alignments.add({{0, 0}, {1, 1}});
    alignments.add({{0, 0}});
    alignments.add({{0, 0}});
  }
};

// a / A, a / B, a b / A B, b / B.
struct Table {
  std::vector<std::uint64_t> source_offsets{0, 1, 3, 4}, source_rules{0, 2, 3, 4}, target_offsets{0, 1, 2, 4, 5};
  std::vector<Symbol> source_symbols{a, a, b, b}, target_symbols{A, B, A, B, B};
  std::vector<double> source_counts{3, 1, 1}, target_counts{2, 2, 1, 2}, joint_counts{2, 1, 1, 1};

  TableArrays arrays() const {
    TableArrays out;
    out.source_offsets = source_offsets;
    out.source_rules = source_rules;
    out.target_offsets = target_offsets;
    out.source_symbols = source_symbols;
    out.target_symbols = target_symbols;
    out.source_counts = source_counts;
    out.target_counts = target_counts;
    out.joint_counts = joint_counts;
    return out;
  }
};

LeaveOneOutFinder finder_of(const Corpus& corpus, const TableArrays& table, int threads) {
  return LeaveOneOutFinder({corpus.source, corpus.offsets}, {corpus.target, corpus.offsets}, corpus.alignments,
                           table, {PhraseOptions{}, std::nullopt, 5, threads});
}

OwnEntries entries(const PairCounts& counts) {
  return {counts.offsets, counts.ids, counts.counts};
}

// Counts of a damaged table make no scores that cannot be put in order.
void check_damaged_counts(LeaveOneOut all) {
  for (const double wrong : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                             -1.0, 0.0, 1.0, std::nextafter(1.0, 2.0)}) {
    const std::vector<double> of_rules(4, wrong), of_sides(3, wrong);
    all.joint_counts = all.target_counts = of_rules;
    all.source_counts = of_sides;
    OwnPair pair;
    pair.start(all, 0);
    for (std::uint32_t side = 0; side < 3; ++side)
      pair.visit_used(side, side, side + 1, [](RuleId, const ScoreChange& change) {
        CHECK(std::isfinite(change[0]) && std::isfinite(change[1]));
      });
  }
}

}  // namespace

TEST(counts_of_pairs_are_found) {
  const Corpus corpus;
  const Table table;
  for (const int threads : {1, 3}) {
    const LeaveOneOutCounts found = finder_of(corpus, table.arrays(), threads).find(0, 3);
    CHECK((found.rules.offsets == std::vector<std::int64_t>{0, 3, 4, 5}));
    CHECK((found.rules.ids == std::vector<std::uint32_t>{0, 2, 3, 0, 1}));
    CHECK((found.rules.counts == std::vector<double>(5, 1.0)));
    CHECK((found.sides.ids == std::vector<std::uint32_t>{0, 1, 2, 0, 0}));
    CHECK((found.targets.ids == std::vector<std::uint32_t>{0, 1, 2, 0, 1}));  // B is that of rule 1
    CHECK(found.missing == 0);
    CHECK(found.made_rules.empty());
  }
}

TEST(rules_that_the_table_has_not_are_counted) {
  const Corpus corpus;
  Table table;  // without b / B
  table.source_offsets = {0, 1, 3};
  table.source_rules = {0, 2, 3};
  table.target_offsets = {0, 1, 2, 4};
  table.source_symbols = {a, a, b};
  table.target_symbols = {A, B, A, B};
  table.source_counts = {3, 1};
  table.target_counts = {2, 2, 1};
  table.joint_counts = {2, 1, 1};
  const LeaveOneOutCounts found = finder_of(corpus, table.arrays(), 1).find(0, 3);
  CHECK(found.missing == 1);
  CHECK((found.rules.ids == std::vector<std::uint32_t>{0, 2, 0, 1}));
  CHECK((found.targets.ids == std::vector<std::uint32_t>{0, 1, 2, 0, 1}));  // B lost a count all the same
}

TEST(scores_without_a_pair_are_those_of_the_counts_that_are_left) {
  const Corpus corpus;
  const Table table;
  const LeaveOneOutFinder finder = finder_of(corpus, table.arrays(), 1);
  const LeaveOneOutCounts found = finder.find(0, 3);
  const std::vector<std::int64_t> no_offsets(4, 0);
  LeaveOneOut all;
  all.rules = entries(found.rules);
  all.sides = entries(found.sides);
  all.targets = entries(found.targets);
  all.made.offsets = no_offsets;
  all.target_numbers = finder.target_numbers();
  all.joint_counts = table.joint_counts;
  all.target_counts = table.target_counts;
  all.source_counts = table.source_counts;
  all.check();
  check_damaged_counts(all);

  OwnPair pair;
  const auto changes = [&](std::uint32_t side) {
    std::map<RuleId, ScoreChange> out;
    pair.visit_used(side, static_cast<RuleId>(table.source_rules[side]),
                    static_cast<RuleId>(table.source_rules[side + 1]),
                    [&](RuleId rule, const ScoreChange& change) { out[rule] = change; });
    return out;
  };
  const auto near = [](float value, double wanted) {
    return std::fabs(static_cast<double>(value) - wanted) < 1e-6;
  };
  pair.start(all, 0);
  const auto of_a = changes(0);
  CHECK(of_a.size() == 2);
  CHECK(near(of_a.at(0)[0], std::log((1.0 / 2) / (2.0 / 3))) && near(of_a.at(0)[1], 0));
  CHECK(near(of_a.at(1)[0], std::log((1.0 / 2) / (1.0 / 3))) && near(of_a.at(1)[1], std::log(1.0 / (1.0 / 2))));
  CHECK(pair.concerns(1, 2, 3) && changes(1).empty());
  CHECK(pair.concerns(2, 3, 4) && changes(2).empty());

  pair.start(all, 1);  // b / B is not a rule of it, and has no side of it
  CHECK(!pair.concerns(2, 3, 4));
  pair.start(all, 2);  // b / B is not a rule of it, but has its target side
  CHECK(pair.concerns(2, 3, 4));
  CHECK(near(changes(2).at(3)[0], 0) && near(changes(2).at(3)[1], std::log(2.0)));
  CHECK(changes(0).size() == 1);
}
