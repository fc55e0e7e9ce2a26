#include "decoding/left_to_right/rule_spans.hpp"

#include <algorithm>

#include "base/narrow.hpp"

namespace tunesmith {

void RuleSpans::add_span(SentenceRows& rows, TargetOptions& targets, Arena& arena, std::size_t begin,
                         std::size_t end) {
  Range& range = ranges_[place(begin, end)];
  range.begin = matches_.size();
  for (const RuleMatch& match : matcher_.next()) {
    const std::span<TargetOption> options = targets.of(match.side);
    std::size_t words = end - begin;
    float inside = 0;
    for (std::uint32_t gap = 0; gap < match.gaps; ++gap) {
      words -= match.ends[gap] - match.begins[gap];
      inside += inside_[place(match.begins[gap], match.ends[gap])];
    }
    if (options.empty() || words == 0) continue;  // a side of gaps alone would translate nothing
    matches_.push_back({options.data(),
                        narrow<std::uint32_t>(options.size()),
                        match.gaps,
                        narrow<std::uint16_t>(words),
                        {match.begins[0], match.begins[1]},
                        {match.ends[0], match.ends[1]},
                        inside,
                        {}});
  }
  if (matches_.size() == range.begin && end - begin == 1) {
    auto* const symbols = reinterpret_cast<std::int32_t*>(arena.take(2 * sizeof(std::int32_t)));
    symbols[0] = -1;
    symbols[1] = static_cast<std::int32_t>(model_.target_vocabulary() + begin);
    TargetOption& option = targets.special(rows.sentence(), Join::unknown, {symbols, 2}, arena);
    matches_.push_back({&option, 1, 0, 1, {0, 0}, {0, 0}, 0, {}});
  }
  range.end = matches_.size();
  if (range.begin == range.end) return;
  rows.open(begin, end, of(begin, end));
  float& best = inside_[place(begin, end)];
  const auto first = static_cast<std::uint16_t>(begin), last = static_cast<std::uint16_t>(end);
  for (SpanMatch& match : std::span(matches_).subspan(range.begin)) {
    match.rows = RowScores(rows, match.count, arena);
    best = std::max(best, match.options[0].estimate + match.inside + match.own(rows, 0, first, last));
  }
  derivable_.cell(begin, end) = {0, 1};
}

void RuleSpans::find(SentenceRows& rows, TargetOptions& targets, Arena& arena, float glue) {
  const Sentence& sentence = rows.sentence();
  derivable_.reset(sentence.size(), max_span_, Keep::best);
  matches_.clear();
  ranges_.assign(sentence.size() * derivable_.longest(), {});
  inside_.assign(ranges_.size(), never);
  rest_.assign(sentence.size() + 1, never);
  rest_[sentence.size()] = 0;
  for (std::size_t begin = sentence.size(); begin-- > 0;) {
    matcher_.start(sentence, derivable_, begin);
    const std::size_t last = std::min(sentence.size(), begin + derivable_.longest());
    for (std::size_t end = begin + 1; end <= last; ++end) {
      add_span(rows, targets, arena, begin, end);
      matcher_.complete();
      rest_[begin] = std::max(rest_[begin], glue + inside(begin, end) + rest_[end]);
    }
  }
}

}  // namespace tunesmith
