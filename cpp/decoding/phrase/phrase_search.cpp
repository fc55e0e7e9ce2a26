#include "decoding/phrase/phrase_search.hpp"

#include <algorithm>
#include <limits>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr std::int32_t end_symbols[] = {-1};

// The marks of Moses' monotone-at-punctuation, and their wide forms.
bool is_punctuation(std::string_view word) {
  static constexpr std::string_view marks[] = {",",  ".",  "!",  "?",  ":",  ";", "\"",
                                               "，", "。", "！", "？", "：", "；"};
  return std::find(std::begin(marks), std::end(marks), word) != std::end(marks);
}

}  // namespace

PhraseSearch::PhraseSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
    : model_(model),
      options_(options),
      profile_(profile),
      budget_(options),
      reach_(options.of("distortion_limit") < 0
                 ? CoverageSet::longest_reach
                 : static_cast<std::uint32_t>(
                       std::min<std::int64_t>(options.of("distortion_limit"), CoverageSet::longest_reach))),
      stack_limit_(static_cast<std::uint32_t>(options.of("stack_limit"))),
      punctuation_walls_(options.of("punctuation_walls") != 0),
      targets_(model, options, profile),
      scorer_(model),
      spans_(model, options),
      stack_(scorer_),
      chart_(scorer_.dense_count()),
      dense_(scorer_.dense_count()) {}

// Sizes, not what vectors have room for, which depends on the sentences before.
std::uint64_t PhraseSearch::bytes_beside_chart() const {
  std::uint64_t cubes = 0;
  for (const std::vector<Cube>& of_stack : cubes_) cubes += of_stack.size();
  return cubes * sizeof(Cube) + futures_.size() * sizeof(float) + coverages_.bytes() + spans_.bytes() +
         future_.bytes();
}

bool PhraseSearch::exhausted(std::size_t stack) {
  chart_.beside = bytes_beside_chart();
  return budget_.exhausted(chart_, stack);
}

// Walls stand in front of and behind every punctuation mark.
void PhraseSearch::find_walls(const Sentence& sentence) {
  const auto words = narrow<std::uint32_t>(sentence.size());
  wall_.assign(words, words);
  if (!punctuation_walls_) return;
  std::uint32_t end = words;
  for (std::uint32_t at = words; at-- > 0;) {
    const bool behind =
        at + 1 < words && (is_punctuation(sentence.text[at]) || is_punctuation(sentence.text[at + 1]));
    if (behind) end = at + 1;
    wall_[at] = end;
  }
}

float PhraseSearch::score_edge(const Application& application, const TargetOption& option, const std::byte* tail,
                               CoverageId covered, std::byte* state) {
  const std::byte* tails[2] = {tail, nullptr};
  const CoveredWords words = coverages_.words(covered);
  return scorer_.across(*rows_, application, option, tails, state, dense_.data(), profile_, &words);
}

void PhraseSearch::begin_sentence() {
  const TargetOption& option = targets_.special(rows_->sentence(), Join::begin, {}, chart_.arena);
  std::byte* const state = chart_.arena.take(scorer_.state_bytes());
  ChartEdge edge{&option, {0, 0}, option.local, ChartEdge::none};
  const Application application{option.rule, 0, 0};
  edge.score += score_edge(application, option, nullptr, 0, state) + rows_->score(application, option);
  stack_.start(chart_, 1);
  stack_.add(edge, dense_.data(), state, key_of(0, 0), futures_[0]);
  stack_.finish(1, groups_);
  ++chart_.pops;
}

// A phrase begins at the first gap, or ends so near behind it that the search can come back to it.
const std::vector<PhraseSearch::Extension>& PhraseSearch::extensions_of(CoverageId coverage) {
  if (extensions_of_ == coverage) return extensions_;
  extensions_of_ = coverage;
  extensions_.clear();
  const auto words = static_cast<std::uint32_t>(rows_->sentence().size());
  const std::uint32_t gap = coverages_.gap(coverage), covered = gap + coverages_.reach(coverage);
  const std::uint32_t far = std::min({words, gap + reach_, wall_[gap]});  // where phrases end that leave the gap
  for (std::uint32_t first = gap; first < words;) {
    // Words [first, last) are a gap.
    std::uint32_t last = first;
    while (last < covered && !coverages_.covers(coverage, last - gap)) ++last;
    if (last >= covered) last = words;
    const float whole = future_.of(first, last);
    for (std::uint32_t begin = first; begin < last && (begin == gap || begin < far); ++begin)
      for (const PhraseSpan& span : spans_.from(begin)) {
        if (span.end > last || (begin != gap && span.end > far)) break;
        extensions_.push_back(
            {&span, futures_[coverage] - whole + future_.of(first, begin) + future_.of(span.end, last)});
      }
    for (first = last; first < covered && coverages_.covers(coverage, first - gap);) ++first;
    if (first >= far) break;
  }
  return extensions_;
}

float PhraseSearch::expect(const Cube& cube, std::uint32_t option, std::uint32_t tail) {
  const Hypothesis& hypothesis = chart_.hypotheses[cube.tails.begin + tail];
  TargetOption& chosen = cube.span->options[option];
  targets_.prepare(chosen);
  const CoveredWords covered = coverages_.words(cube.from);
  return hypothesis.score + chosen.estimate + cube.future + cube.span->own(*rows_, option) +
         scorer_.place_score(*rows_, {chosen.rule, cube.span->begin, cube.span->end}, chosen, hypothesis.state,
                             &covered);
}

// The cubes that the groups of a complete stack are part of, for the stacks they lead to.
void PhraseSearch::extend_groups(std::size_t stack) {
  for (const HypothesisGroup& group : groups_) {
    const CoverageId coverage = coverage_of(group);
    const std::uint32_t gap = coverages_.gap(coverage), last_end = group.key & 0xFFFFu;
    for (const Extension& extension : extensions_of(coverage)) {
      const PhraseSpan& span = *extension.span;
      const std::uint32_t jump = span.begin > last_end ? span.begin - last_end : last_end - span.begin;
      if (jump > reach_ && span.begin != gap) continue;
      Cube cube{0, extension.future, &span, group.hypotheses, coverage, unknown_coverage};
      cube.origin = expect(cube, 0, 0);
      add_cube(stack + (span.end - span.begin), cube);
    }
  }
}

// With a far distortion limit there are many more cubes than a stack can reach; so few are held at any time.
void PhraseSearch::add_cube(std::size_t stack, const Cube& cube) {
  std::vector<Cube>& cubes = cubes_for(stack);
  const std::size_t most = DecoderOptions::most_scored(options_.pop_limit);
  if (cubes.size() >= 2 * most) CubeQueue::keep_best(cubes, most);
  cubes.push_back(cube);
}

float PhraseSearch::score(const CubeCorner& corner, Cube& cube) {
  const PhraseSpan& span = *cube.span;
  TargetOption& option = span.options[corner.option];
  targets_.prepare(option);
  const HypothesisId tail = cube.tails.begin + corner.tail;
  const float local = option.local + span.own(*rows_, corner.option);
  ChartEdge edge{&option, {tail, 0}, chart_.hypotheses[tail].score + local, ChartEdge::none};
  edge.set_span(span.begin, span.end);
  std::byte* const state = chart_.arena.take(scorer_.state_bytes());
  edge.score +=
      score_edge({option.rule, span.begin, span.end}, option, chart_.hypotheses[tail].state, cube.from, state);
  if (cube.to == unknown_coverage) {
    cube.to = coverages_.extend(cube.from, span.begin, span.end);
    if (cube.to == futures_.size()) futures_.push_back(cube.future);
  }
  const float future = futures_[cube.to];
  if (!stack_.add(edge, dense_.data(), state, key_of(cube.to, span.end), future)) chart_.arena.untake(state);
  ++chart_.pops;
  return edge.score + future;
}

void PhraseSearch::fill(std::size_t stack) {
  std::vector<Cube>& cubes = cubes_for(stack);
  const bool poor = exhausted(stack);
  const std::uint32_t limit = poor ? 1 : options_.pop_limit;
  const std::uint32_t most = DecoderOptions::most_scored(limit);
  CubeQueue::keep_best(cubes, most);
  stack_.start(chart_, limit);
  queue_.explore(
      cubes, limit, most, 1, [](const Cube& cube) { return cube.span->count; },
      [this](const Cube& cube, std::uint32_t option, std::uint32_t tail) { return expect(cube, option, tail); },
      [this](const CubeCorner& corner, Cube& cube) { return score(corner, cube); });
  groups_.clear();
  stack_.finish(poor ? 1 : stack_limit_, groups_);
  cubes.clear();
}

// All translations of the whole sentence are one hypothesis: nothing comes behind them.
void PhraseSearch::end_sentence() {
  const TargetOption& option = targets_.special(rows_->sentence(), Join::end, end_symbols, chart_.arena);
  const auto words = static_cast<std::uint16_t>(rows_->sentence().size());
  goal_.start(chart_, 1);
  for (const HypothesisGroup& group : groups_)
    for (HypothesisId tail = group.hypotheses.begin; tail < group.hypotheses.end; ++tail) {
      ChartEdge edge{&option, {tail, 0}, chart_.hypotheses[tail].score + option.local, ChartEdge::none};
      edge.set_span(0, words);
      std::byte* const state = chart_.arena.take(scorer_.state_bytes());
      const Application application{option.rule, 0, words};
      edge.score += score_edge(application, option, chart_.hypotheses[tail].state, coverage_of(group), state) +
                    rows_->score(application, option);
      if (!goal_.add(edge, dense_.data(), state, 0, [](const Hypothesis&, std::uint32_t) { return true; }))
        chart_.arena.untake(state);
      ++chart_.pops;
    }
  chart_.goal = goal_.finish();
}

const Chart& PhraseSearch::run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop) {
  const Sentence& sentence = rows.sentence();
  budget_.start(sentence, stop);
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->search);
  rows_ = &rows;
  targets_.refresh(rows.left_out());
  chart_.reset_for_appending(sentence.size(), keep);
  spans_.find(rows, targets_, chart_.arena);
  future_.compute(spans_, sentence.size(), reach_);
  find_walls(sentence);
  coverages_.reset(reach_);
  futures_.assign(1, future_.of(0, sentence.size()));
  extensions_of_ = unknown_coverage;
  cubes_.resize(spans_.longest() + 1u);
  for (std::vector<Cube>& cubes : cubes_) cubes.clear();

  groups_.clear();
  begin_sentence();
  for (std::size_t stack = 1; stack <= sentence.size(); ++stack) {
    extend_groups(stack - 1);
    fill(stack);
  }
  end_sentence();
  return chart_;
}

namespace {
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
constexpr SearchSetting phrase_settings[] = {
    {"max_length", 7, 1, most},                                  // source words of a phrase
    {"stack_limit", 200, 1, DecoderOptions::largest_pop_limit},  // hypotheses of a stack that are extended
    {"distortion_limit", 5, -1, most},                           // words jumped over; -1: any
    {"punctuation_walls", 0, 0, 1, true},  // nothing after a punctuation mark before all in front of it
};
}  // namespace

constinit const SearchKind phrase_search_kind{.name = "phrase",
                                              .adjective = "phrase-based",
                                              .rules = "phrase",
                                              .growth = Growth::by_coverage,
                                              .forces_phrases = true,
                                              .settings = phrase_settings,
                                              .index = [](DecoderModel&) {},  // phrases are found in the arrays
                                              .make = [](const DecoderModel& model, const DecoderOptions& options,
                                                         SearchProfile* profile) -> std::unique_ptr<Search> {
                                                return std::make_unique<PhraseSearch>(model, options, profile);
                                              }};

}  // namespace tunesmith
