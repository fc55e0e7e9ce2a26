#include "grammar/extraction/lexical_weight.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/hash.hpp"
#include "base/probe.hpp"

namespace tunesmith {
namespace {

std::uint64_t key_of(WordId given, WordId word) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(given)) << 32 | static_cast<std::uint32_t>(word);
}

double as_printed(double value, int decimals) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr;
  std::from_chars(text, end, value);
  return value;
}

}  // namespace

Lexicon::Lexicon(const LexicalTable& table, std::optional<int> decimals) : slots_(slots_for(table.size())) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const WordPairCount& entry = table.entries()[i];
    const std::uint64_t key = key_of(entry.given, entry.word);
    const std::size_t at = probe(slots_, mix(key, 0), [](const Slot& slot) { return slot.probability < 0; });
    const double exact = table.probabilities()[i];
    slots_[at] = {key, decimals ? as_printed(exact, *decimals) : exact};
  }
}

double Lexicon::probability(WordId given, WordId word) const {
  const std::uint64_t key = key_of(given, word);
  const Slot& found = slots_[probe(slots_, mix(key, 0),
                                   [&](const Slot& slot) { return slot.probability < 0 || slot.key == key; })];
  return found.probability < 0 ? 0 : found.probability;
}

double lexical_weight(const Lexicon& lexicon, std::span<const Symbol> given, std::span<const Symbol> words,
                      std::span<const RuleLink> links, bool flipped) {
  std::array<double, longest_side + 1> sum;
  std::array<std::uint16_t, longest_side + 1> count;
  for (std::size_t i = 0; i < words.size(); ++i) sum[i] = 0, count[i] = 0;
  for (const RuleLink& link : links) {
    const std::size_t from = flipped ? link.target : link.source, to = flipped ? link.source : link.target;
    sum[to] += lexicon.probability(given[from], words[to]);
    ++count[to];
  }
  constexpr double smallest = std::numeric_limits<double>::min();
  double weight = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_gap(words[i])) continue;
    const double factor = count[i] > 0 ? sum[i] / count[i] : lexicon.probability(null_word, words[i]);
    if (factor == 0) return 0;
    weight = std::max(weight * factor, smallest);
  }
  return weight;
}

}  // namespace tunesmith
