// Hierarchical phrase-based search for one sentence (Chiang 2007): parsing with rules, cube pruning, glue.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "decoding/cube_pruning.hpp"
#include "decoding/rule_matcher.hpp"

namespace tunesmith {

// One for each thread; keeps its memory and the options of source sides from sentence to sentence.
class HieroSearch {
 public:
  // Both outlive the search.
  HieroSearch(const HieroModel& model, const DecoderOptions& options);

  // The chart is valid until the next call. keep_all: all edges (for a graph), not only the best of each
  // hypothesis. stop: once it is true, the sentence is brought to its end as if it had used up a limit.
  // left_out: the sentence pair whose counts are left out.
  const Chart& run(const Sentence& sentence, bool keep_all, const std::atomic<bool>* stop = nullptr,
                   const OwnPair* left_out = nullptr);

 private:
  void fill_spans(std::size_t begin);
  void fill(std::size_t begin, std::size_t end, Cell& cell);
  void fill_cell(std::size_t begin, std::size_t end, const std::vector<RuleMatch>& matches);
  void add_cube(TargetOption& option, Cell first, Cell second, std::uint32_t gaps);
  bool exhausted();

  const HieroModel& model_;
  const DecoderOptions& options_;
  TargetOptions targets_;
  RuleMatcher matcher_;
  CubePruning cube_pruning_;
  Chart chart_;
  std::vector<Cube> cubes_;
  const Sentence* sentence_ = nullptr;
  bool keep_all_ = false;
  const std::atomic<bool>* stop_ = nullptr;
  std::chrono::steady_clock::time_point deadline_{};
};

}  // namespace tunesmith
