#include "decoding/hiero_search.hpp"

#include <limits>
#include <string>

namespace tunesmith {
namespace {

// <s>, then parts behind one another, then </s>.
constexpr std::int32_t glue_symbols[] = {-1, -2};

}  // namespace

HieroSearch::HieroSearch(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
    : model_(model),
      options_(options),
      profile_(profile),
      targets_(model, options, profile),
      matcher_(*model.trie),
      cube_pruning_(model, targets_, profile),
      chart_(EdgeScorer(model).dense_count()) {}

// Whether the sentence has used up what it may spend.
bool HieroSearch::exhausted() {
  if (chart_.limited) return true;
  if ((options_.max_pops > 0 && chart_.pops >= options_.max_pops) ||
      (options_.max_edges > 0 && chart_.edges.size() >= options_.max_edges) ||
      (options_.max_bytes > 0 && chart_.bytes() >= options_.max_bytes) || (stop_ != nullptr && *stop_))
    return chart_.limited = true;
  if (options_.timeout && std::chrono::steady_clock::now() >= deadline_)
    return chart_.limited = chart_.timed_out = true;
  return false;
}

void HieroSearch::add_cube(TargetOption& option, Cell first, Cell second, std::uint32_t gaps) {
  cubes_.push_back({&option, 1, gaps, {first, second}});
}

// A sentence that has used up what it may spend is brought to its end with as little as possible.
void HieroSearch::fill(std::size_t begin, std::size_t end, Cell& cell) {
  const std::uint32_t pop_limit = exhausted() ? 1 : options_.pop_limit;
  cube_pruning_.fill(*sentence_, begin, end, cubes_, pop_limit, chart_, cell);
}

void HieroSearch::fill_cell(std::size_t begin, std::size_t end, const std::vector<RuleMatch>& matches) {
  cubes_.clear();
  for (const RuleMatch& match : matches) {
    const std::span<TargetOption> options = targets_.of(match.side);
    if (options.empty()) continue;
    Cube cube{options.data(), static_cast<std::uint32_t>(options.size()), match.gaps, {}};
    for (std::uint32_t gap = 0; gap < match.gaps; ++gap)
      cube.tails[gap] = chart_.cell(match.begins[gap], match.ends[gap]);
    cubes_.push_back(cube);
  }
  if (cubes_.empty() && end - begin == 1) {  // no rule for this word alone: it passes through
    auto* symbol = new (chart_.arena.take(sizeof(std::int32_t)))
        std::int32_t(static_cast<std::int32_t>(model_.target_vocabulary() + begin));
    auto* option = new (chart_.arena.take(sizeof(TargetOption)))
        TargetOption(targets_.special(*sentence_, Join::unknown, {symbol, 1}, chart_.arena));
    add_cube(*option, {}, {}, 0);
  }
  if (!cubes_.empty()) fill(begin, end, chart_.cell(begin, end));
}

void HieroSearch::fill_spans(std::size_t begin) {
  matcher_.start(*sentence_, chart_, begin);
  const std::size_t last = std::min(sentence_->size(), begin + chart_.longest());
  for (std::size_t end = begin + 1; end <= last; ++end) {
    if (end > begin + 1 && exhausted()) return;
    fill_cell(begin, end, matcher_.next());
    matcher_.complete();
  }
}

const Chart& HieroSearch::run(const Sentence& sentence, Keep keep, const std::atomic<bool>* stop,
                              const OwnPair* left_out) {
  if (sentence.size() > std::numeric_limits<std::uint16_t>::max() - 2u)
    throw Error("a sentence of " + std::to_string(sentence.size()) + " words; at most 65533 can be translated");
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->search);
  sentence_ = &sentence;
  stop_ = stop;
  targets_.refresh(left_out);
  chart_.reset(sentence.size(), options_.max_span, keep);
  if (options_.timeout)
    deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(*options_.timeout));

  for (std::size_t begin = sentence.size(); begin-- > 0;) fill_spans(begin);

  const auto make = [&](Join join, std::span<const std::int32_t> symbols) {
    return new (chart_.arena.take(sizeof(TargetOption)))
        TargetOption(targets_.special(sentence, join, symbols, chart_.arena));
  };
  const std::span<const std::int32_t> glue_side(glue_symbols);
  TargetOption& begin = *make(Join::begin, {});
  TargetOption& glue = *make(Join::glue, glue_side);
  TargetOption& end = *make(Join::end, glue_side.first(1));
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

}  // namespace tunesmith
