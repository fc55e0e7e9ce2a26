#include "decoding/left_to_right/left_to_right_search.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {

LeftToRightSearch::LeftToRightSearch(const DecoderModel& model, const DecoderOptions& options,
                                     SearchProfile* profile)
    : StackSearch(model, options, profile, static_cast<std::uint32_t>(options.of("queue_diversity"))),
      open_limit_(static_cast<std::uint32_t>(options.of("max_open_spans"))),
      spans_(model, static_cast<std::size_t>(options.of("max_span"))) {}

// The rules that cover [begin, end), the top of the open spans or the next part of the rest of the sentence.
void LeftToRightSearch::add_cubes(std::size_t stack, const HypothesisGroup& group, std::size_t begin,
                                  std::size_t end, OpenSpansId below) {
  const bool glued = open_[static_cast<OpenSpansId>(group.key)].glued;
  const float glue = glued ? chart_.glue->local : 0;
  for (const SpanMatch& match : spans_.of(begin, end)) {
    if (match.gaps > 0 && open_[below].depth + match.gaps > most_open_) continue;
    add_cube(stack + match.words,
             {0, open_[below].rest + match.inside + glue, &match, narrow<std::uint16_t>(begin),
              narrow<std::uint16_t>(end), group.hypotheses, below, glued});
  }
}

// The cubes that the groups of a complete stack are part of, for the stacks they lead to.
void LeftToRightSearch::extend_groups(std::size_t stack) {
  const std::size_t words = sentence().size();
  chart_.glued.resize(chart_.hypotheses.size());
  for (const HypothesisGroup& group : groups_) {
    const OpenSpans::Stack top = open_[static_cast<OpenSpansId>(group.key)];
    if (!top.glued) {
      add_cubes(stack, group, top.begin, top.end, top.below);
      continue;
    }
    for (HypothesisId id = group.hypotheses.begin; id < group.hypotheses.end; ++id) chart_.glued[id] = true;
    const std::size_t last = std::min(words, top.begin + spans_.longest());
    for (std::size_t end = top.begin + 1u; end <= last; ++end) {
      if (spans_.of(top.begin, end).empty()) continue;
      const OpenSpansId below =
          end == words ? OpenSpans::empty
                       : open_.push(OpenSpans::empty, narrow<std::uint16_t>(end), top.end, spans_.rest(end), true);
      add_cubes(stack, group, top.begin, end, below);
    }
  }
}

// Spans that are open after a rule: its gaps in the order of its target side, and the spans that were open below.
OpenSpansId LeftToRightSearch::opened(const LeftToRightCube& cube, const TargetOption& option) {
  if (cube.match->gaps == 0) return cube.below;
  const std::span<const std::int32_t> target = model_.rules.target(option.rule);
  OpenSpansId open = cube.below;
  for (std::uint32_t gap = 0; gap < cube.match->gaps; ++gap) {  // the last one is pushed first
    const auto number = static_cast<std::size_t>(-1 - target[target.size() - 1 - gap]);
    const std::uint16_t begin = cube.match->begins[number], end = cube.match->ends[number];
    open = open_.push(open, begin, end, spans_.inside(begin, end), false);
  }
  return open;
}

void LeftToRightSearch::search_within(std::uint32_t most_open, Keep keep) {
  const auto words = narrow<std::uint16_t>(sentence().size());
  most_open_ = most_open;
  chart_.reset_for_appending(words, keep);
  chart_.glue = &targets_.special(sentence(), Join::glue, one_tail, chart_.arena);
  spans_.find(rows(), targets_, chart_.arena, chart_.glue->local);
  open_.clear();
  search_stacks(
      place(words == 0 ? OpenSpans::empty : open_.push(OpenSpans::empty, 0, words, spans_.rest(0), true)), words);
}

void LeftToRightSearch::search(Keep keep) {
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  search_within(open_limit_ == 0 ? any : open_limit_, keep);
  if (chart_.goal.empty() && open_limit_ != 0) search_within(any, keep);  // no translation has so few open spans
}

namespace {

// Gaps follow all words of a target side.
void check_normal_form(const RuleArrays& rules) {
  for (RuleId rule = 0; rule < rules.rules(); ++rule) {
    bool gaps = false;
    for (const std::int32_t symbol : rules.target(rule)) {
      if (gaps && symbol >= 0)
        throw Error("rule " + std::to_string(rule) +
                    " has a word after a gap in its target side; left-to-right search takes words, then gaps: "
                    "extract rules with --normal-form, or train with --kind left-to-right");
      gaps |= symbol < 0;
    }
  }
}

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
constexpr SearchSetting left_to_right_settings[] = {
    {"max_span", 20, 1, most},                                     // source words a rule of the table may cover
    {"stack_limit", 200, 1, DecoderOptions::largest_pop_limit},    // hypotheses of a stack that are extended
    {"queue_diversity", 1, 1, DecoderOptions::largest_pop_limit},  // hypotheses a cube begins with
    {"max_open_spans", 0, 0, most},                                // open spans of a hypothesis; 0: any number
};

}  // namespace

constinit const SearchKind left_to_right_search_kind{
    .name = "left-to-right",
    .adjective = "left-to-right",
    .rules = "hiero",
    .growth = Growth::appended,
    .forces_phrases = false,
    .settings = left_to_right_settings,
    .index =
        [](DecoderModel& model) {
          check_normal_form(model.rules);
          const RuleArrays& rules = model.rules;
          if (!model.trie)
            model.trie =
                std::make_shared<RuleTrie>(rules.source_symbols, rules.source_offsets, rules.source_words->size());
        },
    .make = [](const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
        -> std::unique_ptr<Search> { return std::make_unique<LeftToRightSearch>(model, options, profile); }};

}  // namespace tunesmith
