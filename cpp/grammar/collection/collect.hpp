// From an aligned corpus to a scored rule table on disk.
//
// Four passes, each over ranges so that the caller can show progress or stop in between:
//
// - extract: every sentence pair → records of occurrences, divided by the order of source sides (spill.hpp);
// - write: every part → sorted rules with counts, alignment, lexical weights; their target sides, divided by hash
//   (part_collector.hpp);
// - sum: every part of those → the count of the target side of every rule (keyed_sums.hpp);
// - score: every range of source sides → probabilities of both directions (rule_scorer.hpp).
//
// Counts are whole multiples of 1 / count_unit, so sums do not depend on the order: the result is the same for
// every number of threads, parts and bytes of memory.
#pragma once

#include <memory>
#include <vector>

#include "grammar/collection/collect_options.hpp"
#include "grammar/collection/part_files.hpp"
#include "grammar/collection/rule_scorer.hpp"
#include "grammar/collection/side_sums.hpp"
#include "grammar/collection/spill.hpp"
#include "grammar/extraction/lexical_weight.hpp"
#include "grammar/tables/source_filter.hpp"

namespace tunesmith {

// What is known of all rules, kept or not.
struct CollectTotals {
  std::uint64_t occurrences = 0, rules = 0, sources = 0, targets = 0, single_words = 0;
  CountsOfCounts counts_of_counts;
};

class RuleCollector {
 public:
  // Labels: a set per sentence pair, bit i for label i, or nothing. Spans and alignments must outlive the
  // collector. Throws LineError for a link outside its sentence, Error for wrong options.
  RuleCollector(WordNumbers source, WordNumbers target, const Alignments& alignments,
                std::span<const std::uint64_t> labels, const LexicalTable& target_given_source,
                const LexicalTable& source_given_target, const SourceFilter* filter, CollectOptions options);

  std::size_t pairs() const { return source_.size(); }
  void extract(std::size_t begin, std::size_t end);
  // Call once, after all pairs: the number of parts to write.
  std::size_t parts();
  // Parts in order, each once.
  void write(std::size_t begin, std::size_t end);
  // Call once, after all parts: the number of steps that sum up, to be done in order, each once.
  std::size_t sums();
  void sum(std::size_t begin, std::size_t end);
  // Call once, after all sums: the number of source sides to score.
  std::size_t sources();
  void score(std::size_t begin, std::size_t end);
  CollectTotals finish();

 private:
  bool counts_pairs_of_sides() const { return options_.significance && options_.hiero; }
  void choose_parts();
  void extract_pair(std::size_t pair, RuleExtractor& extractor, Occurrences& out) const;
  void make_single_words();
  void write_part(PartRules& rules);

  WordNumbers source_, target_;
  const Alignments& alignments_;
  std::vector<std::uint64_t> labels_;
  const LexicalTable& forward_table_;
  Lexicon forward_, backward_;  // p(target | source), p(source | target)
  const SourceFilter* filter_;
  CollectOptions options_;
  std::vector<std::uint8_t> seen_alone_, seen_inside_;  // by source word
  std::unique_ptr<RecordParts> records_;
  SideSums sums_;
  std::vector<std::uint64_t> rule_begins_, source_begins_;  // of the parts that are written
  std::unique_ptr<TableFiles> files_;
  std::unique_ptr<RuleScorer> scorer_;
  CollectTotals totals_;
};

}  // namespace tunesmith
