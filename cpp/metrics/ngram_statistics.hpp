// Sufficient statistics of BLEU and NIST for whole sets of hypotheses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "metrics/reference_ngrams.hpp"
#include "metrics/word_tokens.hpp"

namespace tunesmith {

// The reference length a hypothesis is compared with where a sentence has several references:
// the closest one (of two equally close, the shorter), the shortest, or the average.
enum class LengthRule { closest, shortest, average };

// The reference length by this rule, of at least one reference.
double reference_length(std::span<const std::uint32_t> lengths, std::size_t hypothesis, LengthRule rule);

struct StatisticsOptions {
  LengthRule length = LengthRule::closest;
  bool information = false;  // sum NIST information weights of matched n-grams instead of counting them
  int threads = 1;
};

// A row: hypothesis length, reference length, matches of order 1…n, n-grams of order 1…n in the hypothesis
// (the layout of sacrebleu's BLEU statistics).
inline std::size_t statistics_width(int order) {
  return 2 + 2 * static_cast<std::size_t>(order);
}

// Row i of `out` (hypotheses × width) describes hypotheses[i] against the references of sentence sentences[i].
void ngram_statistics(const ReferenceNgrams& references, std::span<const std::string_view> hypotheses,
                      std::span<const std::int64_t> sentences, const StatisticsOptions& options,
                      std::span<double> out);

// Hypotheses as words: hypothesis i has the words ids[offsets[i] .. offsets[i + 1]).
struct WordIds {
  std::span<const std::uint32_t> ids;
  std::span<const std::int64_t> offsets;
  const WordTokens& tokens;
};

// The same rows as for the texts, the tokens of each hypothesis with a space between.
void ngram_statistics(const ReferenceNgrams& references, const WordIds& hypotheses,
                      std::span<const std::int64_t> sentences, const StatisticsOptions& options,
                      std::span<double> out);

}  // namespace tunesmith
