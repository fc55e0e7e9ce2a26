// The source sentence as features and search see it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/number_table.hpp"

namespace tunesmith {

// Source words [begin, end) that must become these target words, as in TargetSide; `text` has words for them that
// are not in the target vocabulary behind those of the source.
struct ForcedSpan {
  std::uint16_t begin, end;
  std::vector<std::int32_t> target;
};

// Sums of weights by target word, each found once in a sentence: place in `sums`.
struct WordSums {
  NumberTable places;
  std::vector<double> sums;
};

struct Sentence {
  std::vector<std::uint32_t> words;    // numbers of the source vocabulary, 0 for words that are not in it
  std::vector<std::uint32_t> known;    // those of them that are in it, each once
  std::vector<std::string_view> text;  // the same words as written
  std::vector<ForcedSpan> forced;      // from left to right
  std::int32_t label = -1;             // of the domain, if the sentence has one
  mutable WordSums trigger_sums;       // of SourceTriggers; one thread works on a sentence

  std::size_t size() const { return words.size(); }
};

}  // namespace tunesmith
