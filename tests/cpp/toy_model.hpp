// A small random hierarchical model for tests of search.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "decoding/hiero/hiero_search.hpp"
#include "decoding/model.hpp"
#include "features/search/target_bigrams.hpp"
#include "grammar/tables/rule_trie.hpp"

namespace toy {

using namespace tunesmith;

using Side = std::vector<std::int32_t>;

inline Vocabulary vocabulary(const std::string& letters) {
  std::vector<std::string> words{"<unk>", "<s>", "</s>"};
  for (const char letter : letters) words.emplace_back(1, letter);
  const std::vector<std::string_view> views(words.begin(), words.end());
  return {views, std::vector<std::int64_t>(views.size(), 1)};
}

// A random table of sides of up to four symbols over words 3 to 6, and a dense feature with a random value per
// rule.
struct Toy {
  Vocabulary source = vocabulary("abcd"), target = vocabulary("ABCDE");
  std::vector<std::uint64_t> source_offsets{0}, source_rules{0}, target_offsets{0}, link_offsets{0};
  std::vector<std::int32_t> source_symbols, target_symbols;
  std::vector<std::uint8_t> links;
  std::vector<float> scores;
  std::vector<std::uint32_t> occurrences;
  std::vector<Side> sides;

  explicit Toy(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<std::int32_t>(random() % n); };
    for (int i = 0; i < 60; ++i) {
      Side side;
      std::int32_t gaps = 0;
      const int length = 1 + below(4);
      for (int at = 0; at < length; ++at)
        side.push_back(gaps < 2 && length > 1 && below(3) == 0 ? -1 - gaps++ : 3 + below(4));
      if (std::any_of(side.begin(), side.end(), [](std::int32_t symbol) { return symbol >= 0; }))
        sides.push_back(side);
    }
    std::sort(sides.begin(), sides.end());
    sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
    for (const Side& side : sides) {
      source_symbols.insert(source_symbols.end(), side.begin(), side.end());
      source_offsets.push_back(source_symbols.size());
      for (int rule = 0; rule < 3; ++rule) {
        Side words{3 + below(5)};
        for (const std::int32_t symbol : side)
          if (symbol < 0) words.insert(words.begin() + below(static_cast<unsigned>(words.size()) + 1), symbol);
        target_symbols.insert(target_symbols.end(), words.begin(), words.end());
        target_offsets.push_back(target_symbols.size());
        link_offsets.push_back(0);
        occurrences.push_back(1);
      }
      source_rules.push_back(occurrences.size());
    }
  }

  DecoderModel model() const {
    DecoderModel made;
    made.search = &hiero_search_kind;
    made.rules = {.source_offsets = source_offsets,
                  .source_rules = source_rules,
                  .target_offsets = target_offsets,
                  .link_offsets = link_offsets,
                  .source_symbols = source_symbols,
                  .target_symbols = target_symbols,
                  .links = links,
                  .scores = scores,
                  .occurrences = occurrences,
                  .score_columns = 0,
                  .source_words = &source,
                  .target_words = &target};
    made.trie = std::make_shared<RuleTrie>(source_symbols, source_offsets, source.size());
    FeatureMatrix::Parts parts;
    parts.rows = occurrences.size() + 4;
    parts.dense_columns = parts.columns = 1;
    for (std::size_t row = 0; row < parts.rows; ++row) parts.dense.push_back(std::sin(static_cast<float>(row)));
    parts.starts.resize(parts.rows + 1);
    made.matrix = std::make_shared<FeatureMatrix>(std::move(parts));
    std::vector<std::string_view> names;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t word = 0; word < target.size(); ++word) {
      names.push_back(target.word(word));
      numbers.push_back(word);
    }
    const TokenForms forms(std::make_shared<const Vocabulary>(names, std::vector<std::int64_t>(names.size())), 1,
                           numbers);
    made.features.push_back(std::make_shared<TargetBigrams>(target, HoldsForms{forms, forms, Combine::full}));
    return made;
  }
};

}  // namespace toy
