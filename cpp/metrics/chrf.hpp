// Sufficient statistics of chrF and chrF++ (Popović 2015, 2017), those of sacrebleu 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/reference_ngrams.hpp"

namespace tunesmith {

struct ChrfOptions {
  int char_order = 6;  // 1 to 99
  int word_order = 0;  // 0 to 99; 2 for chrF++
  double beta = 2;     // decides between references
};

// The n-grams of characters and words of the references of many sentences. White space is not a character; of a
// word that ends or else begins with punctuation, that character is a separate word.
class ChrfReferences {
 public:
  explicit ChrfReferences(const ChrfOptions& options);

  // Adds the next sentence with its references, at least one.
  void add(std::span<const std::string_view> references);

  std::size_t size() const { return begins_.size() - 1; }
  // Numbers in a row: n-grams of the hypothesis, of the reference and of both, for each order of characters, then
  // of words. Orders that the reference lacks count no n-grams of the hypothesis.
  std::size_t width() const;

  // Row i of `out` describes hypotheses[i] against that reference of sentence sentences[i] which gives it the best
  // F-score, the first of equal ones.
  void statistics(std::span<const std::string_view> hypotheses, std::span<const std::int64_t> sentences,
                  int threads, std::span<double> out) const;

 private:
  class Counter;

  ChrfOptions options_;
  ReferenceNgrams characters_;  // one reference is one sentence there
  std::optional<ReferenceNgrams> words_;
  std::vector<std::size_t> begins_{0};  // per sentence: its first reference, and the end
};

}  // namespace tunesmith
