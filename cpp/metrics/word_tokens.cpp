#include "metrics/word_tokens.hpp"

#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "base/words.hpp"

namespace tunesmith {

WordTokens::WordTokens(std::span<const std::string_view> texts, std::span<const std::int64_t> ids) {
  if (texts.size() != ids.size())
    throw Error(std::to_string(texts.size()) + " words but " + std::to_string(ids.size()) + " ids");
  tokens_.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto id = narrow<std::uint32_t>(ids[i]);
    if (id < begins_.size() - 1) throw Error("ids of words must rise");
    begins_.resize(std::size_t{id} + 1, begins_.back());
    for_each_word(texts[i], [&](std::string_view token) { tokens_.push_back(table_.add(token)); });
    begins_.push_back(narrow<std::uint32_t>(tokens_.size()));
  }
}

void WordTokens::fail(std::uint32_t word) {
  throw Error("word " + std::to_string(word) + " is not in the vocabulary");
}

}  // namespace tunesmith
