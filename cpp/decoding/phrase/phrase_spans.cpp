#include "decoding/phrase/phrase_spans.hpp"

#include <algorithm>

#include "base/narrow.hpp"

namespace tunesmith {

// One number for all places of a word, and that of the target word or forced word that is written alike, if there
// is one: phrases may come in any order, and lists of different strings tell words by their numbers.
std::int32_t PhraseSpans::passed_word(const Sentence& sentence, std::size_t at) {
  if (const auto known = model_.rules.target_words->find(sentence.text[at]); known && *known > 2)
    return static_cast<std::int32_t>(*known);
  return static_cast<std::int32_t>(model_.target_vocabulary() +
                                   passed_.try_emplace(sentence.text[at], at).first->second);
}

void PhraseSpans::pass_through(const Sentence& sentence, std::size_t at, TargetOptions& targets, Arena& arena) {
  auto* const symbols = reinterpret_cast<std::int32_t*>(arena.take(2 * sizeof(std::int32_t)));
  symbols[0] = -1;
  symbols[1] = passed_word(sentence, at);
  TargetOption& option = targets.special(sentence, Join::unknown, {symbols, 2}, arena);
  spans_.push_back({static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(at + 1), 1, &option, {}});
}

std::uint32_t PhraseSpans::side_of(const Sentence& sentence, std::size_t begin, std::size_t end) {
  SideLookup::Node node = SideLookup::root;
  for (std::size_t at = begin; at < end && node != SideLookup::none; ++at)
    node = sentence.words[at] > 2 ? sides_.child(node, sentence.words[at]) : SideLookup::none;
  return node == SideLookup::none ? SideLookup::none : sides_.side(node);
}

TargetOption& PhraseSpans::forced_option(const Sentence& sentence, const ForcedSpan& forced,
                                         TargetOptions& targets, Arena& arena) {
  if (const std::uint32_t side = side_of(sentence, forced.begin, forced.end); side != SideLookup::none) {
    const std::uint64_t end = std::min<std::uint64_t>(model_.rules.source_rules[side + 1], model_.rules.rules());
    for (std::uint64_t rule = model_.rules.source_rules[side]; rule < end; ++rule)
      if (std::ranges::equal(model_.rules.target(rule), forced.target))
        return targets.single(static_cast<RuleId>(rule), arena);
  }
  const std::size_t count = forced.target.size() + 1;
  auto* const symbols = reinterpret_cast<std::int32_t*>(arena.take(count * sizeof(std::int32_t)));
  symbols[0] = -1;
  std::copy(forced.target.begin(), forced.target.end(), symbols + 1);
  return targets.special(sentence, Join::unknown, {symbols, count}, arena);
}

void PhraseSpans::find(SentenceRows& rows, TargetOptions& targets, Arena& arena) {
  const Sentence& sentence = rows.sentence();
  spans_.clear();
  passed_.clear();
  for (const ForcedSpan& span : sentence.forced)
    for (const std::int32_t word : span.target)
      if (const auto number = static_cast<std::size_t>(word); number >= model_.target_vocabulary())
        passed_.try_emplace(sentence.text[number - model_.target_vocabulary()],
                            number - model_.target_vocabulary());
  first_.assign(1, 0);
  longest_ = 0;
  sides_.refresh();
  auto forced = sentence.forced.begin();
  for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
    if (forced != sentence.forced.end() && forced->begin == begin) {
      spans_.push_back({forced->begin, forced->end, 1, &forced_option(sentence, *forced, targets, arena), {}});
      longest_ = std::max<std::uint32_t>(longest_, forced->end - forced->begin);
      first_.resize(forced->end + 1u, spans_.size());
      begin = forced++->end - 1u;
      continue;
    }
    const std::size_t free = forced == sentence.forced.end() ? sentence.size() : forced->begin;
    const std::size_t last = begin + std::min<std::size_t>(max_length_, free - begin);
    SideLookup::Node node = SideLookup::root;
    for (std::size_t end = begin + 1; end <= last; ++end) {
      const std::uint32_t word = sentence.words[end - 1];
      node = word > 2 ? sides_.child(node, word) : SideLookup::none;  // not the special words
      const std::uint32_t side = node == SideLookup::none ? SideLookup::none : sides_.side(node);
      const std::span<TargetOption> options =
          side == SideLookup::none ? std::span<TargetOption>() : targets.of(side);
      if (!options.empty())
        spans_.push_back({static_cast<std::uint16_t>(begin),
                          static_cast<std::uint16_t>(end),
                          narrow<std::uint32_t>(options.size()),
                          options.data(),
                          {}});
      else if (end == begin + 1)
        pass_through(sentence, begin, targets, arena);
      if (node == SideLookup::none) break;
    }
    longest_ = std::max<std::uint32_t>(longest_, static_cast<std::uint32_t>(spans_.back().end - begin));
    first_.push_back(spans_.size());
  }
  for (PhraseSpan& span : spans_) {
    rows.open(span.begin, span.end, std::span(&span, 1));
    span.rows = RowScores(rows, span.count, arena);
  }
}

}  // namespace tunesmith
