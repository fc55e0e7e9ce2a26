// Probabilities and significance of rules whose counts are on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grammar/collection/collect_options.hpp"
#include "grammar/collection/side_sums.hpp"
#include "grammar/collection/smoothing.hpp"
#include "grammar/extraction/containment.hpp"
#include "grammar/extraction/fisher.hpp"
#include "grammar/tables/array_file.hpp"

namespace tunesmith {

class RuleScorer {
 public:
  // Reads the arrays in `options.folder` and `options.scratch`. The sums must outlive the scorer.
  RuleScorer(const CollectOptions& options, std::uint64_t rules, const CountsOfCounts& counts_of_counts,
             const WordNumbers& source, const WordNumbers& target, const SideSums& sides);

  // The rules of these source sides.
  void score(std::size_t begin, std::size_t end) const;

 private:
  struct Block;  // consecutive source sides with their rules
  void score_block(const Block& block) const;
  void test_block(const Block& block, Containment::Counter* counter) const;

  int threads_;
  const SideSums& sides_;
  ArrayPatch source_offsets_, source_symbols_, target_offsets_, target_symbols_;
  ArrayPatch source_rules_, source_counts_, joint_counts_, pairs_, lexical_, source_shares_, source_orders_;
  ArrayPatch occurrences_, target_counts_, scores_;
  Probabilities probability_;
  std::unique_ptr<ArrayPatch> significance_;
  std::unique_ptr<FisherTest> fisher_;
  std::unique_ptr<Containment> containment_;  // for phrase pairs
};

}  // namespace tunesmith
