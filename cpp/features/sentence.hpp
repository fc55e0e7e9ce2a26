// The source sentence as features and search see it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tunesmith {

// Source words [begin, end) that must become these target words, as in TargetSide; `text` has words for them that
// are not in the target vocabulary after those of the source.
struct ForcedSpan {
  std::uint16_t begin, end;
  std::vector<std::int32_t> target;
};

struct Sentence {
  std::vector<std::uint32_t> words;    // numbers of the source vocabulary, 0 for words that are not in it
  std::vector<std::uint32_t> known;    // those of them that are in it, each once
  std::vector<std::string_view> text;  // the same words as written
  std::vector<ForcedSpan> forced;      // from left to right
  std::int32_t label = -1;             // of the domain, if the sentence has one

  std::size_t size() const { return words.size(); }
};

}  // namespace tunesmith
