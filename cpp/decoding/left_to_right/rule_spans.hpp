// The rules that may cover the spans of one sentence, and what the spans can score at best.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "decoding/chart/chart.hpp"
#include "decoding/hiero/rule_matcher.hpp"
#include "decoding/options.hpp"
#include "decoding/row_scores.hpp"
#include "decoding/sentence_rows.hpp"
#include "decoding/target_options.hpp"

namespace tunesmith {

// A source side that matches a span, with its options, best first. Gap i covers the words [begins[i], ends[i]).
struct SpanMatch {
  TargetOption* options;
  std::uint32_t count;
  std::uint8_t gaps;
  std::uint16_t words;  // of the source side
  std::uint16_t begins[2], ends[2];
  float inside;  // what the gaps are expected to score
  RowScores rows;

  // What the rows of the sentence score for an option, whose rule covers [first, last).
  float own(SentenceRows& sentence, std::uint32_t option, std::uint16_t first, std::uint16_t last) const {
    return rows.of(sentence, {options[option].rule, first, last}, options[option], option);
  }
};

// Spans are examined from the right to the left, short ones first, as in hierarchical search, but no hypothesis
// is made: what is known of a span is whether rules can translate it, and the best sum of estimates without
// context (Watanabe et al. 2006, section 3.3). A word that no rule covers alone passes through.
class RuleSpans {
 public:
  static constexpr float never = -std::numeric_limits<float>::infinity();

  RuleSpans(const DecoderModel& model, std::size_t max_span)
      : model_(model), matcher_(*model.trie), max_span_(max_span), derivable_(0) {}

  // What is made for this sentence alone is taken from `arena`. glue: the score of one more part.
  void find(SentenceRows& rows, TargetOptions& targets, Arena& arena, float glue);

  std::size_t longest() const { return derivable_.longest(); }
  std::span<const SpanMatch> of(std::size_t begin, std::size_t end) const {
    const Range& range = ranges_[place(begin, end)];
    return {matches_.data() + range.begin, matches_.data() + range.end};
  }
  // The best that rules can make of a span; `never` if they cannot.
  float inside(std::size_t begin, std::size_t end) const { return inside_[place(begin, end)]; }
  // The best that parts joined by glue can make of the words from `begin` on.
  float rest(std::size_t begin) const { return rest_[begin]; }
  std::size_t bytes() const {
    return matches_.size() * sizeof(SpanMatch) + ranges_.size() * (sizeof(Range) + sizeof(float));
  }

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  std::size_t place(std::size_t begin, std::size_t end) const {
    return begin * derivable_.longest() + (end - begin - 1);
  }
  void add_span(SentenceRows& rows, TargetOptions& targets, Arena& arena, std::size_t begin, std::size_t end);

  const DecoderModel& model_;
  RuleMatcher matcher_;
  std::size_t max_span_;
  Chart derivable_;  // its cells say which spans rules can translate
  std::vector<SpanMatch> matches_;
  std::vector<Range> ranges_;
  std::vector<float> inside_, rest_;
};

}  // namespace tunesmith
