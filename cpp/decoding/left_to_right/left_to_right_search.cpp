#include "decoding/left_to_right/left_to_right_search.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr std::int32_t tail_alone[] = {-1};

}  // namespace

LeftToRightSearch::LeftToRightSearch(const DecoderModel& model, const DecoderOptions& options,
                                     SearchProfile* profile)
    : model_(model),
      options_(options),
      profile_(profile),
      budget_(options),
      stack_limit_(static_cast<std::uint32_t>(options.of("stack_limit"))),
      diversity_(static_cast<std::uint32_t>(options.of("queue_diversity"))),
      open_limit_(static_cast<std::uint32_t>(options.of("max_open_spans"))),
      targets_(model, options, profile),
      scorer_(model),
      spans_(model, static_cast<std::size_t>(options.of("max_span"))),
      stack_(scorer_),
      chart_(scorer_.dense_count()),
      dense_(scorer_.dense_count()) {}

bool LeftToRightSearch::exhausted(std::size_t stack) {
  std::uint64_t cubes = 0;
  for (const std::vector<Cube>& of_stack : cubes_) cubes += of_stack.size();
  chart_.beside = cubes * sizeof(Cube) + spans_.bytes() + open_.bytes();
  return budget_.exhausted(chart_, stack);
}

float LeftToRightSearch::score_edge(const Application& application, const TargetOption& option,
                                    const std::byte* tail, std::byte* state) {
  const std::byte* tails[2] = {tail, nullptr};
  return scorer_.score(*rows_, application, option, tails, state, dense_.data(), profile_);
}

void LeftToRightSearch::begin_sentence() {
  const auto words = narrow<std::uint16_t>(rows_->sentence().size());
  const TargetOption& option = targets_.special(rows_->sentence(), Join::begin, {}, chart_.arena);
  std::byte* const state = chart_.arena.take(scorer_.state_bytes());
  ChartEdge edge{&option, {0, 0}, option.local, ChartEdge::none};
  edge.score += score_edge({option.rule, 0, 0}, option, nullptr, state);
  stack_.start(chart_, 1);
  const OpenSpansId all =
      words == 0 ? OpenSpans::empty : open_.push(OpenSpans::empty, 0, words, spans_.rest(0), true);
  stack_.add(edge, dense_.data(), state, all, open_[all].rest);
  stack_.finish(1, groups_);
  ++chart_.pops;
}

float LeftToRightSearch::expect(const Cube& cube, std::uint32_t option, std::uint32_t tail) const {
  const Hypothesis& hypothesis = chart_.hypotheses[cube.tails.begin + tail];
  const TargetOption& chosen = cube.match->options[option];
  const Application application{chosen.rule, cube.begin, cube.end};
  return hypothesis.score + chosen.estimate + cube.future + rows_->score(application, chosen) +
         scorer_.place_score(*rows_, application, chosen, hypothesis.state, nullptr);
}

// The rules that cover [begin, end), the top of the open spans or the next part of the rest of the sentence.
void LeftToRightSearch::add_cubes(std::size_t stack, const HypothesisGroup& group, std::size_t begin,
                                  std::size_t end, OpenSpansId below) {
  const std::size_t most = DecoderOptions::most_scored(options_.pop_limit);
  const bool glued = open_[static_cast<OpenSpansId>(group.key)].glued;
  const float glue = glued ? chart_.glue->local : 0;
  for (const SpanMatch& match : spans_.of(begin, end)) {
    if (match.gaps > 0 && open_[below].depth + match.gaps > most_open_) continue;
    std::vector<Cube>& cubes = cubes_[stack + match.words];
    if (cubes.size() >= 2 * most) CubeQueue::keep_best(cubes, most);
    Cube cube{0,
              open_[below].rest + match.inside + glue,
              &match,
              narrow<std::uint16_t>(begin),
              narrow<std::uint16_t>(end),
              group.hypotheses,
              below,
              glued};
    cube.origin = expect(cube, 0, 0);
    cubes.push_back(cube);
  }
}

// The cubes that the groups of a complete stack are part of, for the stacks they lead to.
void LeftToRightSearch::extend_groups(std::size_t stack) {
  const std::size_t words = rows_->sentence().size();
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

// What is open after a rule: its gaps in the order of its target side, and what was open below.
OpenSpansId LeftToRightSearch::opened(const Cube& cube, const TargetOption& option) {
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

float LeftToRightSearch::score(const CubeCorner& corner, const Cube& cube) {
  TargetOption& option = cube.match->options[corner.option];
  targets_.prepare(option);
  const HypothesisId tail = cube.tails.begin + corner.tail;
  ChartEdge edge{&option, {tail, 0}, chart_.hypotheses[tail].score + option.local, ChartEdge::none};
  if (cube.glued) edge.score += chart_.glue->local;
  edge.set_span(cube.begin, cube.end);
  std::byte* const state = chart_.arena.take(scorer_.state_bytes());
  edge.score += score_edge({option.rule, cube.begin, cube.end}, option, chart_.hypotheses[tail].state, state);
  const OpenSpansId open = opened(cube, option);
  if (!stack_.add(edge, dense_.data(), state, open, open_[open].rest)) chart_.arena.untake(state);
  ++chart_.pops;
  return edge.score + open_[open].rest;
}

void LeftToRightSearch::fill(std::size_t stack) {
  std::vector<Cube>& cubes = cubes_[stack];
  const bool poor = exhausted(stack);
  const std::uint32_t limit = poor ? 1 : options_.pop_limit, most = DecoderOptions::most_scored(limit);
  CubeQueue::keep_best(cubes, most);
  stack_.start(chart_, limit);
  queue_.explore(
      cubes, limit, most, diversity_, [](const Cube& cube) { return cube.match->count; },
      [this](const Cube& cube, std::uint32_t option, std::uint32_t tail) { return expect(cube, option, tail); },
      [this](const CubeCorner& corner, const Cube& cube) { return score(corner, cube); });
  groups_.clear();
  stack_.finish(poor ? 1 : stack_limit_, groups_);
  cubes.clear();
  chart_.glued.resize(chart_.hypotheses.size());
}

// All translations of the whole sentence are one hypothesis: nothing comes after them.
void LeftToRightSearch::end_sentence() {
  const TargetOption& option = targets_.special(rows_->sentence(), Join::end, tail_alone, chart_.arena);
  const auto words = narrow<std::uint16_t>(rows_->sentence().size());
  goal_.start(chart_, 1);
  for (const HypothesisGroup& group : groups_)
    for (HypothesisId tail = group.hypotheses.begin; tail < group.hypotheses.end; ++tail) {
      ChartEdge edge{&option, {tail, 0}, chart_.hypotheses[tail].score + option.local, ChartEdge::none};
      edge.set_span(0, words);
      std::byte* const state = chart_.arena.take(scorer_.state_bytes());
      edge.score += score_edge({option.rule, 0, words}, option, chart_.hypotheses[tail].state, state);
      if (!goal_.add(edge, dense_.data(), state, 0, [](const Hypothesis&, std::uint32_t) { return true; }))
        chart_.arena.untake(state);
      ++chart_.pops;
    }
  chart_.goal = goal_.finish();
}

void LeftToRightSearch::search(Keep keep) {
  const Sentence& sentence = rows_->sentence();
  chart_.reset_for_appending(sentence.size(), keep);
  chart_.glue = &targets_.special(sentence, Join::glue, tail_alone, chart_.arena);
  spans_.find(*rows_, targets_, chart_.arena, chart_.glue->local);
  open_.clear();
  cubes_.resize(sentence.size() + 1);
  for (std::vector<Cube>& cubes : cubes_) cubes.clear();
  groups_.clear();
  begin_sentence();
  chart_.glued.assign(chart_.hypotheses.size(), false);
  for (std::size_t stack = 1; stack <= sentence.size(); ++stack) {
    extend_groups(stack - 1);
    fill(stack);
  }
  end_sentence();
}

const Chart& LeftToRightSearch::run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop) {
  const Sentence& sentence = rows.sentence();
  budget_.start(sentence, stop);
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->search);
  rows_ = &rows;
  targets_.refresh(rows.left_out());
  most_open_ = open_limit_ == 0 ? std::numeric_limits<std::uint32_t>::max() : open_limit_;
  search(keep);
  if (chart_.goal.empty() && open_limit_ != 0) {  // no translation has so few open spans
    most_open_ = std::numeric_limits<std::uint32_t>::max();
    search(keep);
  }
  return chart_;
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
          model.trie =
              std::make_shared<RuleTrie>(rules.source_symbols, rules.source_offsets, rules.source_words->size());
        },
    .make = [](const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
        -> std::unique_ptr<Search> { return std::make_unique<LeftToRightSearch>(model, options, profile); }};

}  // namespace tunesmith
