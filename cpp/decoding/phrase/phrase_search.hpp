// Phrase-based search for one sentence: stacks by the number of covered words (Koehn et al. 2003, section 4), each
// filled by cube pruning (Huang and Chiang 2007, section 4).
#pragma once

#include <vector>

#include "decoding/cube_queue.hpp"
#include "decoding/hypothesis_stack.hpp"
#include "decoding/phrase/coverage.hpp"
#include "decoding/phrase/future_cost.hpp"
#include "decoding/phrase/phrase_spans.hpp"
#include "decoding/search_budget.hpp"
#include "decoding/search_kinds.hpp"

namespace tunesmith {

class PhraseSearch final : public Search {
 public:
  // Both outlive the search; so does `profile`, where times are added unless it is null.
  PhraseSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile = nullptr);

  const Chart& run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop = nullptr) override;

 private:
  static constexpr CoverageId unknown_coverage = 0xFFFFFFFFu;

  // A phrase that a coverage can go on with, and what the gaps behind it are expected to score.
  struct Extension {
    const PhraseSpan* span;
    float future;
  };
  // Options of a span × hypotheses of a group, each best first. `origin` is what its best corner is expected to
  // score, up to the end of the sentence.
  struct Cube {
    float origin;
    float future;
    const PhraseSpan* span;
    Cell tails;
    CoverageId from, to;  // `to` is found when the first corner is scored
  };

  void find_walls(const Sentence& sentence);
  void begin_sentence();
  void extend_groups(std::size_t stack);
  void add_cube(std::size_t stack, const Cube& cube);
  std::uint64_t bytes_beside_chart() const;
  const std::vector<Extension>& extensions_of(CoverageId coverage);
  std::vector<Cube>& cubes_for(std::size_t stack) { return cubes_[stack % cubes_.size()]; }
  float expect(const Cube& cube, std::uint32_t option, std::uint32_t tail);
  void fill(std::size_t stack);
  float score(const CubeCorner& corner, Cube& cube);
  // What hypotheses have in common that can go on with the same phrases at the same distance.
  static std::uint64_t key_of(CoverageId coverage, std::uint32_t last_end) {
    return static_cast<std::uint64_t>(coverage) << 16 | last_end;
  }
  static CoverageId coverage_of(const HypothesisGroup& group) { return static_cast<CoverageId>(group.key >> 16); }
  void end_sentence();
  float score_edge(const Application& application, const TargetOption& option, const std::byte* tail,
                   CoverageId covered, std::byte* state);
  bool exhausted(std::size_t stack);

  const DecoderModel& model_;
  const DecoderOptions& options_;
  SearchProfile* profile_;
  SearchBudget budget_;
  std::uint32_t reach_;  // the distortion limit
  std::uint32_t stack_limit_;
  bool punctuation_walls_;
  TargetOptions targets_;
  EdgeScorer scorer_;
  PhraseSpans spans_;
  FutureCost future_;
  CoverageSet coverages_;
  HypothesisStack stack_;
  Recombination goal_;
  Chart chart_;
  std::vector<HypothesisGroup> groups_;   // of the stack that was filled last
  std::vector<std::vector<Cube>> cubes_;  // by the number of words, modulo the longest phrase + 1
  std::vector<float> futures_;            // of the coverages met
  std::vector<Extension> extensions_;
  CoverageId extensions_of_ = unknown_coverage;
  std::vector<std::uint32_t> wall_;  // for each word the end of the part that it is walled in, itself at least
  CubeQueue queue_;
  std::vector<float> dense_;
  SentenceRows* rows_ = nullptr;
};

extern const SearchKind phrase_search_kind;

}  // namespace tunesmith
