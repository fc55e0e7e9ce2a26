#include "features/target_bigrams.hpp"

#include <new>

#include "features/names.hpp"

namespace tunesmith {
namespace {

std::uint64_t pair_key(std::uint32_t first, std::uint32_t second) {
  return static_cast<std::uint64_t>(first) << 32 | second;
}

}  // namespace

template <class Visit>
TargetBigrams::Borders TargetBigrams::walk(const Sentence& sentence, const TargetSide& side,
                                           const std::byte* const* tails, Visit visit) const {
  Borders out{none, none};
  const auto append = [&](Borders part) {
    if (part.first == none) return;
    if (out.last == none)
      out.first = part.first;
    else
      visit(pair_key(out.last, part.first));
    out.last = part.last;
  };
  if (side.join == Join::begin) append({Vocabulary::sentence_begin, Vocabulary::sentence_begin});
  for (const std::int32_t symbol : side.symbols) {
    if (symbol < 0) {
      if (tails == nullptr) {  // unknown context: what stands behind the gap begins anew
        out = {none, none};
        continue;
      }
      append(*reinterpret_cast<const Borders*>(tails[-1 - symbol]));
      continue;
    }
    auto word = static_cast<std::uint32_t>(symbol);
    if (word >= side.vocabulary)
      word = static_cast<std::uint32_t>(words_->find(sentence.text[word - side.vocabulary]).value_or(0));
    append({word, word});
  }
  if (side.join == Join::end) {
    append({Vocabulary::sentence_end, Vocabulary::sentence_end});
    out = {none, none};  // nothing comes behind it
  }
  return out;
}

double TargetBigrams::weight(std::uint64_t key) const {
  const std::uint32_t id = ids_.find(key);
  return id < weights_.size() ? weights_[id] : 0.0;
}

bool TargetBigrams::equal(const std::byte* a, const std::byte* b) const {
  const auto &left = *reinterpret_cast<const Borders*>(a), &right = *reinterpret_cast<const Borders*>(b);
  return left.first == right.first && left.last == right.last;
}

std::uint64_t TargetBigrams::hash(const std::byte* state) const {
  const auto& borders = *reinterpret_cast<const Borders*>(state);
  return mix(borders.first, borders.last);
}

float TargetBigrams::estimate(const Sentence& sentence, const TargetSide& side) const {
  double sum = 0;
  walk(sentence, side, nullptr, [&](std::uint64_t key) { sum += weight(key); });
  return static_cast<float>(sum);
}

float TargetBigrams::score(const Combination& edge, std::byte* state, float*) const {
  double sum = 0;
  const Borders out = walk(edge.sentence, edge.side, edge.tails, [&](std::uint64_t key) { sum += weight(key); });
  new (state) Borders(out);
  return static_cast<float>(sum);
}

void TargetBigrams::list(const Combination& edge, SparseValues& out) const {
  walk(edge.sentence, edge.side, edge.tails, [&](std::uint64_t key) { out.add(key, 1.0f); });
}

std::string TargetBigrams::detail(std::uint64_t key) const {
  std::string out;
  append_word(words_->word(static_cast<std::int64_t>(key >> 32)), out);
  out += '_';
  append_word(words_->word(static_cast<std::int64_t>(key & 0xFFFFFFFFu)), out);
  return out;
}

std::optional<std::uint64_t> TargetBigrams::key(std::string_view detail) const {
  const std::size_t middle = detail.find('_');
  if (middle == std::string_view::npos) return std::nullopt;
  const auto number = [&](std::string_view text) -> std::optional<WordId> {
    const std::optional<std::string> word = read_word(text);
    return word ? words_->find(*word) : std::nullopt;
  };
  const auto first = number(detail.substr(0, middle)), second = number(detail.substr(middle + 1));
  if (!first || !second) return std::nullopt;
  return pair_key(static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*second));
}

}  // namespace tunesmith
