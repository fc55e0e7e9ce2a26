// Hierarchical search that writes the target from left to right (Watanabe et al. 2006, 2007), with stacks by
// covered words filled by cube pruning (Siahbani et al. 2013).
#pragma once

#include "decoding/left_to_right/open_spans.hpp"
#include "decoding/left_to_right/rule_spans.hpp"
#include "decoding/search_kinds.hpp"
#include "decoding/stack_search.hpp"

namespace tunesmith {

// Options of a source side × hypotheses with the same open spans.
struct LeftToRightCube {
  float origin, future;
  const SpanMatch* match;
  std::uint16_t first, last;  // source words [first, last)
  Cell tails;
  OpenSpansId below;  // what stays open under the gaps of the rule
  bool glued;

  TargetOption* options() const { return match->options; }
  std::uint32_t count() const { return match->count; }
  std::uint16_t begin() const { return first; }
  std::uint16_t end() const { return last; }
  float row_score(SentenceRows& rows, std::uint32_t option) const { return match->own(rows, option, first, last); }
};

// Target sides are words, then gaps. A hypothesis has the words of its rules so far and a stack of open spans; the
// next rule covers the span on top exactly, appends its words, and its gaps become open spans in the order of the
// target. The span at the bottom is the rest of the sentence, from which glue takes one part after the other.
class LeftToRightSearch final : public StackSearch<LeftToRightSearch, LeftToRightCube> {
 public:
  LeftToRightSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile);

 private:
  friend StackSearch;

  void search(Keep keep);
  void search_within(std::uint32_t most_open, Keep keep);
  void extend_groups(std::size_t stack);
  void add_cubes(std::size_t stack, const HypothesisGroup& group, std::size_t begin, std::size_t end,
                 OpenSpansId below);
  OpenSpansId opened(const LeftToRightCube& cube, const TargetOption& option);
  StackPlace place(OpenSpansId open) const { return {open, open_[open].rest}; }
  StackPlace place_after(const LeftToRightCube& cube, const TargetOption& option) {
    return place(opened(cube, option));
  }
  float joined(const LeftToRightCube& cube) const { return cube.glued ? chart_.glue->local : 0; }
  static std::nullptr_t covered(const LeftToRightCube&) { return nullptr; }
  static std::nullptr_t covered(const HypothesisGroup&) { return nullptr; }
  std::uint64_t bytes_beside() const { return spans_.bytes() + open_.bytes(); }

  std::uint32_t open_limit_, most_open_ = 0;
  RuleSpans spans_;
  OpenSpans open_;
};

extern const SearchKind left_to_right_search_kind;

}  // namespace tunesmith
