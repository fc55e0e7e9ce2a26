#include "features/search/target_bigrams.hpp"

#include <algorithm>
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
  bool lasts() const override { return sums.size() < RememberedSums::most; }
  RememberedSums sums;  // by both words
  double most = -1;     // of all sums; negative before it is asked for
};

TargetBigrams::Memory& TargetBigrams::memory_of(SentenceMemory* memory) {
  return *static_cast<Memory*>(memory);
}

double TargetBigrams::sum_of(Memory& memory, std::uint32_t a, std::uint32_t b) const {
  return memory.sums.of(WordPairs::key(a, b), [&] { return weight_of_words(a, b); });
}

std::unique_ptr<SentenceMemory> TargetBigrams::start(const Sentence&) const {
  return std::make_unique<Memory>();
}

float TargetBigrams::estimate(const Sentence& sentence, const TargetSide& side, SentenceMemory* memory) const {
  double sum = 0;
  walk(sentence, side, nullptr, [&](std::uint32_t a, std::uint32_t b) { sum += sum_of(memory_of(memory), a, b); });
  return static_cast<float>(sum);
}

// Two words that follow one another have at most as many features as there are pairs of kinds of forms.
float TargetBigrams::most_estimate(std::size_t symbols, SentenceMemory* memory) const {
  double& most = memory_of(memory).most;
  if (most < 0) {
    most = 0;
    for (const std::uint32_t number : numbers_) most = std::max(most, weight_of_number(number));
    most *= most_features() * (1 + 1e-9);  // sums are rounded
  }
  return static_cast<float>(most * static_cast<double>(symbols));
}

void TargetBigrams::prepare(const Sentence& sentence, RuleId, const TargetSide& side, SentenceMemory* memory,
                            std::byte* prepared) const {
  Own& own = *new (prepared) Own{side.join == Join::rule, 0, {none, none}, 0};
  if (!own.is_whole || side.symbols.empty()) return;
  const bool follows = is_gap(side.symbols.front());
  const std::span<const std::int32_t> words = side.symbols.subspan(follows);
  own.is_whole = std::ranges::none_of(words, is_gap);
  if (!own.is_whole) return;
  if (follows) own.gap = side.symbols.front();
  own.borders = walk(sentence, {words, side.vocabulary, Join::rule}, nullptr,
                     [&](std::uint32_t a, std::uint32_t b) { own.sum += sum_of(memory_of(memory), a, b); });
}

float TargetBigrams::score(const Combination& edge, std::byte* state, float*) const {
  Memory& memory = memory_of(edge.memory);
  if (const Own& own = *reinterpret_cast<const Own*>(edge.prepared); own.is_whole) {
    Borders out = own.borders;
    double sum = own.sum;
    if (own.gap != 0) {
      const Borders part = *reinterpret_cast<const Borders*>(edge.tails[-1 - own.gap]);
      if (part.last != none && out.first != none) sum += sum_of(memory, part.last, out.first);
      if (part.first != none) out = {part.first, out.last == none ? part.last : out.last};
    }
    new (state) Borders(out);
    return static_cast<float>(sum);
  }
  double sum = 0;
  new (state) Borders(walk(edge.sentence, edge.side, edge.tails,
                           [&](std::uint32_t a, std::uint32_t b) { sum += sum_of(memory, a, b); }));
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
