// Hierarchical search that writes the target from left to right (Watanabe et al. 2006, 2007), with stacks by
// covered words filled by cube pruning (Siahbani et al. 2013).
#pragma once

#include <vector>

#include "decoding/cube_queue.hpp"
#include "decoding/hypothesis_stack.hpp"
#include "decoding/left_to_right/open_spans.hpp"
#include "decoding/left_to_right/rule_spans.hpp"
#include "decoding/search_budget.hpp"
#include "decoding/search_kinds.hpp"

namespace tunesmith {

// Target sides are words, then gaps. A hypothesis has the words of its rules so far and a stack of open spans; the
// next rule covers the span on top exactly, appends its words, and its gaps become open spans in the order of the
// target. The span at the bottom is the rest of the sentence, from which glue takes one part after the other.
class LeftToRightSearch final : public Search {
 public:
  // Both outlive the search; so does `profile`, where times are added unless it is null.
  LeftToRightSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile = nullptr);

  const Chart& run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop = nullptr) override;

 private:
  // Options of a source side × hypotheses with the same open spans, each best first. `origin` is what its best
  // corner is expected to score, up to the end of the sentence.
  struct Cube {
    float origin;
    float future;  // of the spans that are open afterwards
    const SpanMatch* match;
    std::uint16_t begin, end;
    Cell tails;
    OpenSpansId below;  // what stays open under the gaps of the rule
    bool glued;
  };

  void search(Keep keep);
  void begin_sentence();
  void extend_groups(std::size_t stack);
  void add_cubes(std::size_t stack, const HypothesisGroup& group, std::size_t begin, std::size_t end,
                 OpenSpansId below);
  float expect(const Cube& cube, std::uint32_t option, std::uint32_t tail) const;
  OpenSpansId opened(const Cube& cube, const TargetOption& option);
  void fill(std::size_t stack);
  float score(const CubeCorner& corner, const Cube& cube);
  void end_sentence();
  float score_edge(const Application& application, const TargetOption& option, const std::byte* tail,
                   std::byte* state);
  bool exhausted(std::size_t stack);

  const DecoderModel& model_;
  const DecoderOptions& options_;
  SearchProfile* profile_;
  SearchBudget budget_;
  std::uint32_t stack_limit_, diversity_;
  std::uint32_t most_open_ = 0, open_limit_;
  TargetOptions targets_;
  EdgeScorer scorer_;
  RuleSpans spans_;
  OpenSpans open_;
  HypothesisStack stack_;
  Recombination goal_;
  Chart chart_;
  std::vector<HypothesisGroup> groups_;   // of the stack that was filled last
  std::vector<std::vector<Cube>> cubes_;  // by the number of covered words
  CubeQueue queue_;
  std::vector<float> dense_;
  SentenceRows* rows_ = nullptr;
};

extern const SearchKind left_to_right_search_kind;

}  // namespace tunesmith
