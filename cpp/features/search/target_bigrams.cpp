#include "features/search/target_bigrams.hpp"

#include <new>

#include "base/hash.hpp"
#include "base/remembered_sums.hpp"

namespace tunesmith {

template <class Visit>
TargetBigrams::Borders TargetBigrams::walk(const Sentence& sentence, const TargetSide& side,
                                           const std::byte* const* tails, Visit visit) const {
  Borders out{none, none};
  const auto append = [&](Borders part) {
    if (part.first == none) return;
    if (out.last == none)
      out.first = part.first;
    else
      visit(out.last, part.first);
    out.last = part.last;
  };
  if (side.join == Join::begin) append({Vocabulary::sentence_begin, Vocabulary::sentence_begin});
  for (const std::int32_t symbol : side.symbols) {
    if (symbol < 0) {
      if (tails == nullptr) {  // unknown context: the words after the gap start a new context
        out = {none, none};
        continue;
      }
      append(*reinterpret_cast<const Borders*>(tails[-1 - symbol]));
      continue;
    }
    const std::uint32_t word = target_word(symbol, side, sentence, words_);
    append({word, word});
  }
  if (side.join == Join::end) {
    append({Vocabulary::sentence_end, Vocabulary::sentence_end});
    out = {none, none};  // nothing comes after it
  }
  return out;
}

bool TargetBigrams::equal(const std::byte* a, const std::byte* b) const {
  const auto &left = *reinterpret_cast<const Borders*>(a), &right = *reinterpret_cast<const Borders*>(b);
  return left.first == right.first && left.last == right.last;
}

std::uint64_t TargetBigrams::hash(const std::byte* state) const {
  const auto& borders = *reinterpret_cast<const Borders*>(state);
  return mix(borders.first, borders.last);
}

class TargetBigrams::Memory final : public SentenceMemory {
 public:
  RememberedSums sums;  // by both words
};

std::unique_ptr<SentenceMemory> TargetBigrams::start(const Sentence&) const {
  return std::make_unique<Memory>();
}

float TargetBigrams::estimate(const Sentence& sentence, const TargetSide& side) const {
  double sum = 0;
  walk(sentence, side, nullptr, [&](std::uint32_t a, std::uint32_t b) { sum += weight_of_words(a, b); });
  return static_cast<float>(sum);
}

float TargetBigrams::score(const Combination& edge, std::byte* state, float*) const {
  double sum = 0;
  auto& sums = static_cast<Memory*>(edge.memory)->sums;
  const Borders out = walk(edge.sentence, edge.side, edge.tails, [&](std::uint32_t a, std::uint32_t b) {
    sum += sums.of(WordPairs::key(a, b), [&] { return weight_of_words(a, b); });
  });
  new (state) Borders(out);
  return static_cast<float>(sum);
}

void TargetBigrams::list(const Combination& edge, SparseValues& out) const {
  walk(edge.sentence, edge.side, edge.tails, [&](std::uint32_t a, std::uint32_t b) {
    for_each_key(a, b, [&](std::uint64_t key) { out.add(key, 1.0f); });
  });
}

constinit const FeatureKind target_bigrams_kind{
    "target_bigrams", serves_all, [](const FeatureInputs& inputs) -> SearchFeature {
      const TokenForms target(inputs, "target", *inputs.rules.target_words);
      return std::make_shared<TargetBigrams>(*inputs.rules.target_words,
                                             HoldsForms{target, target, combine_of(inputs)});
    }};

}  // namespace tunesmith
