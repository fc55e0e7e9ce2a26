#include "decoding/phrase/phrase_search.hpp"

#include <algorithm>
#include <limits>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

// The marks of Moses' monotone-at-punctuation, and their wide forms.
bool is_punctuation(std::string_view word) {
  static constexpr std::string_view marks[] = {",",  ".",  "!",  "?",  ":",  ";", "\"",
                                               "，", "。", "！", "？", "：", "；"};
  return std::find(std::begin(marks), std::end(marks), word) != std::end(marks);
}

}  // namespace

PhraseSearch::PhraseSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
    : StackSearch(model, options, profile, 1),
      reach_(options.of("distortion_limit") < 0
                 ? CoverageSet::longest_reach
                 : static_cast<std::uint32_t>(
                       std::min<std::int64_t>(options.of("distortion_limit"), CoverageSet::longest_reach))),
      punctuation_walls_(options.of("punctuation_walls") != 0),
      spans_(model, options) {}

// Walls stand in front of and after every punctuation mark.
void PhraseSearch::find_walls() {
  const Sentence& sentence = this->sentence();
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

// A phrase begins at the first gap, or ends so near after it that the search can come back to it.
const std::vector<PhraseSearch::Extension>& PhraseSearch::extensions_of(CoverageId coverage) {
  if (extensions_of_ == coverage) return extensions_;
  extensions_of_ = coverage;
  extensions_.clear();
  const auto words = static_cast<std::uint32_t>(sentence().size());
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

// The cubes that the groups of a complete stack are part of, for the stacks they lead to.
void PhraseSearch::extend_groups(std::size_t stack) {
  for (const HypothesisGroup& group : groups_) {
    const CoverageId coverage = coverage_of(group);
    const std::uint32_t gap = coverages_.gap(coverage), last_end = group.key & 0xFFFFu;
    for (const Extension& extension : extensions_of(coverage)) {
      const PhraseSpan& span = *extension.span;
      const std::uint32_t jump = span.begin > last_end ? span.begin - last_end : last_end - span.begin;
      if (jump > reach_ && span.begin != gap) continue;
      add_cube(stack + (span.end - span.begin),
               {0, extension.future, &span, group.hypotheses, coverage, unknown_coverage});
    }
  }
}

StackPlace PhraseSearch::place_after(PhraseCube& cube, const TargetOption&) {
  if (cube.to == unknown_coverage) {
    cube.to = coverages_.extend(cube.from, cube.begin(), cube.end());
    if (cube.to == futures_.size()) futures_.push_back(cube.future);
  }
  return {key_of(cube.to, cube.end()), futures_[cube.to]};
}

void PhraseSearch::search(Keep keep) {
  const std::size_t words = sentence().size();
  chart_.reset_for_appending(words, keep);
  spans_.find(rows(), targets_, chart_.arena);
  future_.compute(spans_, words, reach_);
  find_walls();
  coverages_.reset(reach_);
  futures_.assign(1, future_.of(0, words));
  extensions_of_ = unknown_coverage;
  search_stacks({key_of(0, 0), futures_[0]}, spans_.longest());
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
