#include "lm/class_words.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tunesmith::lm {

ClassWords::ClassWords(std::span<const std::string_view> words, std::span<const std::int32_t> numbers,
                       std::span<const float> probabilities, ClassWord unknown)
    : unknown_(unknown) {
  if (numbers.size() != words.size() || probabilities.size() != words.size())
    throw Error("every word needs the number of a class and a probability");
  for (std::size_t i = 0; i < words.size(); ++i)
    words_.emplace(words[i], ClassWord{static_cast<std::uint32_t>(numbers[i]), probabilities[i]});
}

ClassWord ClassWords::find(std::string_view word) const {
  if (const auto own = words_.find(word); own != words_.end()) return own->second;
  const auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
  if (std::ranges::none_of(word, is_digit)) return unknown_;
  std::string zeros(word);
  std::ranges::replace_if(zeros, is_digit, '0');
  const auto same_shape = words_.find(zeros);
  return same_shape == words_.end() ? unknown_ : same_shape->second;
}

}  // namespace tunesmith::lm
