// The tokens of the words of a vocabulary, so that hypotheses given as ids of words need not be spelt out.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"

namespace tunesmith {

class WordTokens {
 public:
  // texts[i] is word ids[i] as a metric reads it: one token, several with white space between, or none. Ids rise.
  WordTokens(std::span<const std::string_view> texts, std::span<const std::int64_t> ids);

  // The different tokens.
  const WordTable& table() const { return table_; }
  // The tokens of a word by their numbers in the table.
  std::span<const WordId> of(std::uint32_t word) const {
    if (word >= begins_.size() - 1) fail(word);
    return {tokens_.data() + begins_[word], begins_[word + 1] - begins_[word]};
  }

 private:
  [[noreturn]] static void fail(std::uint32_t word);

  WordTable table_;
  std::vector<std::uint32_t> begins_{0};  // per word, and the end; words without text have no tokens
  std::vector<WordId> tokens_;
};

}  // namespace tunesmith
