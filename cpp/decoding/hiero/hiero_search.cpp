#include "decoding/hiero/hiero_search.hpp"

#include <algorithm>
#include <limits>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

// <s>, then parts one after another, then </s>.
constexpr std::int32_t glue_symbols[] = {-1, -2};

}  // namespace

HieroSearch::HieroSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
    : model_(model),
      options_(options),
      profile_(profile),
      budget_(options),
      targets_(model, options, profile),
      matcher_(*model.trie),
      max_span_(static_cast<std::size_t>(options.of("max_span"))),
      cube_pruning_(model, targets_, profile),
      chart_(EdgeScorer(model).dense_count()) {}

void HieroSearch::add_cube(TargetOption& option, Cell first, Cell second, std::uint32_t gaps) {
  cubes_.push_back({&option, 1, gaps, {first, second}});
}

// A sentence that has used up what it may spend is brought to its end with as little as possible.
void HieroSearch::fill(std::size_t begin, std::size_t end, Cell& cell) {
  const std::uint32_t pop_limit = budget_.exhausted(chart_, end) ? 1 : options_.pop_limit;
  cube_pruning_.fill(*rows_, begin, end, cubes_, pop_limit, chart_, cell);
}

void HieroSearch::fill_cell(std::size_t begin, std::size_t end, const std::vector<RuleMatch>& matches) {
  cubes_.clear();
  for (const RuleMatch& match : matches) {
    const std::span<TargetOption> options = targets_.of(match.side);
    if (options.empty()) continue;
    Cube cube{options.data(), narrow<std::uint32_t>(options.size()), match.gaps, {}};
    for (std::uint32_t gap = 0; gap < match.gaps; ++gap)
      cube.tails[gap] = chart_.cell(match.begins[gap], match.ends[gap]);
    cubes_.push_back(cube);
  }
  if (cubes_.empty() && end - begin == 1) {  // no rule for this word alone: it passes through
    auto* symbol = new (chart_.arena.take(sizeof(std::int32_t)))
        std::int32_t(static_cast<std::int32_t>(model_.target_vocabulary() + begin));
    TargetOption& option = targets_.special(rows_->sentence(), Join::unknown, {symbol, 1}, chart_.arena);
    add_cube(option, {}, {}, 0);
  }
  if (cubes_.empty()) return;
  rows_->open(begin, end, cubes_);
  fill(begin, end, chart_.cell(begin, end));
}

void HieroSearch::fill_spans(std::size_t begin) {
  matcher_.start(rows_->sentence(), chart_, begin);
  const std::size_t last = std::min(rows_->sentence().size(), begin + chart_.longest());
  for (std::size_t end = begin + 1; end <= last; ++end) {
    if (end > begin + 1 && budget_.exhausted(chart_, end)) return;
    fill_cell(begin, end, matcher_.next());
    matcher_.complete();
  }
}

const Chart& HieroSearch::run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop) {
  const Sentence& sentence = rows.sentence();
  budget_.start(sentence, stop);
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->search);
  rows_ = &rows;
  targets_.refresh(rows);
  chart_.reset(sentence.size(), max_span_, keep);

  for (std::size_t begin = sentence.size(); begin-- > 0;) fill_spans(begin);

  const std::span<const std::int32_t> glue_side(glue_symbols);
  TargetOption& begin = targets_.special(sentence, Join::begin, {}, chart_.arena);
  TargetOption& glue = targets_.special(sentence, Join::glue, glue_side, chart_.arena);
  TargetOption& end = targets_.special(sentence, Join::end, glue_side.first(1), chart_.arena);
  cubes_.clear();
  add_cube(begin, {}, {}, 0);
  fill(0, 0, chart_.prefix(0));
  for (std::size_t last = 1; last <= sentence.size(); ++last) {
    cubes_.clear();
    for (std::size_t first = last - std::min(last, chart_.longest()); first < last; ++first)
      if (const Cell& part = chart_.cell(first, last); !part.empty() && !chart_.prefix(first).empty())
        add_cube(glue, chart_.prefix(first), part, 2);
    fill(0, last, chart_.prefix(last));
  }
  cubes_.clear();
  add_cube(end, chart_.prefix(sentence.size()), {}, 1);
  fill(0, sentence.size(), chart_.goal);
  return chart_;
}

namespace {
constexpr SearchSetting hiero_settings[] = {
    {"max_span", 20, 1, std::numeric_limits<std::int32_t>::max()},  // source words a rule of the table may cover
};
}  // namespace

constinit const SearchKind hiero_search_kind{
    .name = "hiero",
    .adjective = "hierarchical",
    .rules = "hiero",
    .growth = Growth::bottom_up,
    .forces_phrases = false,
    .settings = hiero_settings,
    .index =
        [](DecoderModel& model) {
          const RuleArrays& rules = model.rules;
          if (!model.trie)
            model.trie =
                std::make_shared<RuleTrie>(rules.source_symbols, rules.source_offsets, rules.source_words->size());
        },
    .make = [](const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
        -> std::unique_ptr<Search> { return std::make_unique<HieroSearch>(model, options, profile); }};

}  // namespace tunesmith
