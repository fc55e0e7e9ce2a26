// Matches hypotheses with the references of their sentences, given as text or as ids of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/reference_ngrams.hpp"
#include "metrics/word_tokens.hpp"

namespace tunesmith {

// Holds scratch memory: one Matcher per thread.
class ReferenceNgrams::Matcher {
 public:
  // tokens: of the words of hypotheses that are ids.
  explicit Matcher(const ReferenceNgrams& references, const WordTokens* tokens = nullptr)
      : references_(references), tokens_(tokens) {}

  // Clipped matches of each order in `matches[0..order)`; if `weighted`, the sums of their information instead.
  // Returns the length of the hypothesis in words.
  std::size_t match(std::size_t sentence, std::string_view hypothesis, double* matches, bool weighted);
  // The same for ids. The words of a sentence are looked up once for all its hypotheses that follow each other.
  std::size_t match(std::size_t sentence, std::span<const std::uint32_t> hypothesis, double* matches,
                    bool weighted);

 private:
  static std::uint32_t find_child(const Node* nodes, std::uint32_t node, std::uint32_t word);
  void enter(std::size_t sentence);
  std::size_t count(const Sentence& sentence, double* matches, bool weighted);

  const ReferenceNgrams& references_;
  const WordTokens* tokens_;
  std::vector<std::uint32_t> words_;    // of the hypothesis, by their numbers in the sentence
  std::vector<std::uint32_t> used_;     // per node: how often the hypothesis had it so far
  std::vector<std::uint32_t> touched_;  // nodes whose `used_` is not 0
  std::vector<std::uint32_t> numbers_;  // per token: its number in the sentence `entered_`, or `none`
  std::vector<WordId> known_;           // tokens whose number is not `none`
  std::size_t entered_ = SIZE_MAX;
};

}  // namespace tunesmith
