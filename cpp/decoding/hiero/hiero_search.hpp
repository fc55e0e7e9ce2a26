// Hierarchical phrase-based search for one sentence (Chiang 2007): parsing with rules, cube pruning, glue.
#pragma once

#include <vector>

#include "decoding/hiero/cube_pruning.hpp"
#include "decoding/hiero/rule_matcher.hpp"
#include "decoding/search_budget.hpp"
#include "decoding/search_kinds.hpp"

namespace tunesmith {

class HieroSearch final : public Search {
 public:
  // Both outlive the search; so does `profile`, where times are added unless it is null.
  HieroSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile = nullptr);

  const Chart& run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop = nullptr) override;

 private:
  void fill_spans(std::size_t begin);
  void fill(std::size_t begin, std::size_t end, Cell& cell);
  void fill_cell(std::size_t begin, std::size_t end, const std::vector<RuleMatch>& matches);
  void add_cube(TargetOption& option, Cell first, Cell second, std::uint32_t gaps);

  const DecoderModel& model_;
  const DecoderOptions& options_;
  SearchProfile* profile_;
  SearchBudget budget_;
  TargetOptions targets_;
  RuleMatcher matcher_;
  std::size_t max_span_;
  CubePruning cube_pruning_;
  Chart chart_;
  std::vector<Cube> cubes_;
  SentenceRows* rows_ = nullptr;
};

extern const SearchKind hiero_search_kind;

}  // namespace tunesmith
