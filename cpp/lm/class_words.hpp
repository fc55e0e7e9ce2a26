// The words of a class language model: the class of each, and its probability in the class.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tunesmith::lm {

// number: of the class in the n-gram model of classes.    probability: log10 p(word | class).
struct ClassWord {
  std::uint32_t number;
  float probability;
};

class ClassWords {
 public:
  // unknown: of words that are not among these. Throws Error where sizes differ.
  ClassWords(std::span<const std::string_view> words, std::span<const std::int32_t> numbers,
             std::span<const float> probabilities, ClassWord unknown);

  // The entry of a word: its own, that of the word with 0 for its digits, that of unknown words.
  ClassWord find(std::string_view word) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, ClassWord, Hash, std::equal_to<>> words_;
  ClassWord unknown_;
};

}  // namespace tunesmith::lm
