// Phrase-based search for one sentence: stacks by the number of covered words (Koehn et al. 2003, section 4), each
// filled by cube pruning (Huang and Chiang 2007, section 4).
#pragma once

#include <vector>

#include "decoding/phrase/coverage.hpp"
#include "decoding/phrase/future_cost.hpp"
#include "decoding/phrase/phrase_spans.hpp"
#include "decoding/search_kinds.hpp"
#include "decoding/stack_search.hpp"

namespace tunesmith {

// Options of a span × hypotheses of a group.
struct PhraseCube {
  float origin, future;
  const PhraseSpan* span;
  Cell tails;
  CoverageId from, to;  // `to` is made when the first corner is scored

  TargetOption* options() const { return span->options; }
  std::uint32_t count() const { return span->count; }
  std::uint16_t begin() const { return span->begin; }
  std::uint16_t end() const { return span->end; }
  float row_score(SentenceRows& rows, std::uint32_t option) const { return span->own(rows, option); }
};

class PhraseSearch final : public StackSearch<PhraseSearch, PhraseCube> {
 public:
  PhraseSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile);

 private:
  friend StackSearch;
  static constexpr CoverageId unknown_coverage = 0xFFFFFFFFu;

  // A phrase that a coverage can be extended by, and what the gaps after it are expected to score.
  struct Extension {
    const PhraseSpan* span;
    float future;
  };

  void search(Keep keep);
  void find_walls();
  void extend_groups(std::size_t stack);
  const std::vector<Extension>& extensions_of(CoverageId coverage);
  // What hypotheses have in common that can be extended by the same phrases at the same distance.
  static std::uint64_t key_of(CoverageId coverage, std::uint32_t last_end) {
    return static_cast<std::uint64_t>(coverage) << 16 | last_end;
  }
  static CoverageId coverage_of(const HypothesisGroup& group) { return static_cast<CoverageId>(group.key >> 16); }
  StackPlace place_after(PhraseCube& cube, const TargetOption& option);
  static float joined(const PhraseCube&) { return 0; }
  CoveredWords covered(const PhraseCube& cube) const { return coverages_.words(cube.from); }
  CoveredWords covered(const HypothesisGroup& group) const { return coverages_.words(coverage_of(group)); }
  std::uint64_t bytes_beside() const {
    return futures_.size() * sizeof(float) + coverages_.bytes() + spans_.bytes() + future_.bytes();
  }

  std::uint32_t reach_;  // the distortion limit
  bool punctuation_walls_;
  PhraseSpans spans_;
  FutureCost future_;
  CoverageSet coverages_;
  std::vector<float> futures_;  // of the coverages met
  std::vector<Extension> extensions_;
  CoverageId extensions_of_ = unknown_coverage;
  std::vector<std::uint32_t> wall_;  // for each word the end of the part that it is walled in, itself at least
};

extern const SearchKind phrase_search_kind;

}  // namespace tunesmith
