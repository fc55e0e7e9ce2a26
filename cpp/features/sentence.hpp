// The source sentence as features and search see it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tunesmith {

struct Sentence {
  std::vector<std::uint32_t> words;    // numbers of the source vocabulary, 0 for words that are not in it
  std::vector<std::string_view> text;  // the same words as written
  std::int32_t label = -1;             // of the domain, if the sentence has one

  std::size_t size() const { return words.size(); }
};

}  // namespace tunesmith
