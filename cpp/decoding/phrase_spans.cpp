#include "decoding/phrase_spans.hpp"

#include <algorithm>

namespace tunesmith {

// One number for all places of a word, and that of the target word that is written alike, if there is one: phrases
// may come in any order, and lists of different strings tell words by their numbers.
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
  auto* const option = new (arena.take(sizeof(TargetOption)))
      TargetOption(targets.special(sentence, Join::unknown, {symbols, 2}, arena));
  spans_.push_back({static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(at + 1), 1, option});
}

void PhraseSpans::find(const Sentence& sentence, TargetOptions& targets, Arena& arena) {
  spans_.clear();
  passed_.clear();
  first_.assign(1, 0);
  longest_ = 0;
  const RuleTrie& trie = *model_.trie;
  for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
    const std::size_t last = begin + std::min<std::size_t>(options_.max_length, sentence.size() - begin);
    RuleTrie::Node node = RuleTrie::root;
    for (std::size_t end = begin + 1; end <= last; ++end) {
      const std::uint32_t word = sentence.words[end - 1];
      node = word > 2 ? trie.child(node, word) : RuleTrie::none;  // not the special words
      const std::uint32_t side = node == RuleTrie::none ? RuleTrie::none : trie.side(node);
      const std::span<TargetOption> options =
          side == RuleTrie::none ? std::span<TargetOption>() : targets.of(side);
      if (!options.empty())
        spans_.push_back({static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end),
                          static_cast<std::uint32_t>(options.size()), options.data()});
      else if (end == begin + 1)
        pass_through(sentence, begin, targets, arena);
      if (node == RuleTrie::none) break;
    }
    longest_ = std::max<std::uint32_t>(longest_, static_cast<std::uint32_t>(spans_.back().end - begin));
    first_.push_back(spans_.size());
  }
}

}  // namespace tunesmith
