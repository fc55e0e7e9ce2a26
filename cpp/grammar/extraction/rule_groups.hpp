// Records of occurrences → different rules, sorted, with sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/collection/spill.hpp"
#include "grammar/extraction/orientation.hpp"

namespace tunesmith {

class RuleGroups {
 public:
  struct Rule {
    Record record;                    // the first occurrence
    std::int64_t count, first_count;  // of all occurrences, and of those aligned as `record`
    std::uint64_t labels;
    std::uint32_t occurrences, pairs, last_pair;
    std::int32_t others;  // other alignments, a list
  };

  // `records` must outlive the groups. Records of one sentence pair stand together. `labels`: a set per sentence
  // pair, bit i for label i, or nothing. `oriented`: count orientations.
  RuleGroups(std::span<const std::uint32_t> records, std::span<const std::uint64_t> labels, bool oriented = false);

  std::size_t size() const { return order_.size(); }
  // The i-th rule, by source side, then target side.
  const Rule& operator[](std::size_t i) const { return rules_[order_[i].rule]; }
  // Orientations of the i-th rule, where they are counted; none of a rule that was made up.
  const OrientationCounts& orientations(std::size_t i) const { return orientations_[order_[i].rule]; }
  // The first rule from `begin` on with another source side.
  std::size_t end_of_source(std::size_t begin) const;

  // The most frequent alignment; of equally frequent ones the greatest, as Moses chooses: read as a list of sets,
  // one for every target word (to_source) or source word (to_target).
  struct Links {
    std::span<const RuleLink> to_source, to_target;
  };
  Links best_links(const Rule& rule) const;

 private:
  struct Alternative {
    Record record;
    std::int64_t count;
    std::int32_t next;
  };
  struct Place {
    SourceKey key;
    std::uint32_t rule;
  };
  void add_alignment(const Record& record, std::int64_t count, Rule& rule);
  void sort();

  std::vector<Rule> rules_;
  std::vector<OrientationCounts> orientations_;
  std::vector<Alternative> alternatives_;
  std::vector<Place> order_;
};

}  // namespace tunesmith
