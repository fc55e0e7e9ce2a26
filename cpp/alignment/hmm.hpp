// IBM model 1 (Brown et al. 1993) and the hidden Markov model of word alignment (Vogel et al. 1996) with an empty
// word (Och and Ney 2003, section 2.2): every target word is the translation of one source word or of none.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "alignment/lexical_table.hpp"
#include "alignment/links.hpp"
#include "alignment/translation_table.hpp"

namespace tunesmith {

// to_null: probability that a target word has no source word (p_0 of Och and Ney).
// uniform: share of the uniform distribution in that of jumps (their α).
// prior: of the translation table, see TranslationTable::normalize.
struct HmmOptions {
  double to_null = 0.2, uniform = 0.2, prior = 0.01;
};

// One direction of a corpus. Training changes the parameters; results do not depend on the number of threads.
// Sentence pairs with an empty side get no links.
class HmmAligner {
 public:
  // Numbers of words are from 0; source ones below `source_words`.
  HmmAligner(std::vector<WordId> source, std::vector<std::int64_t> source_offsets, std::vector<WordId> target,
             std::vector<std::int64_t> target_offsets, std::size_t source_words, HmmOptions options);

  // One iteration of expectation maximisation under model 1. Nothing changes where `stop` became true.
  void train_model1(int threads, const std::atomic<bool>& stop);
  // One of the hidden Markov model (Baum-Welch).
  void train_hmm(int threads, const std::atomic<bool>& stop);
  // The most probable alignment of every sentence pair, under model 1 where the hidden Markov model has not been
  // trained. flipped: links are (target, source).
  Alignments align(bool flipped, int threads, const std::atomic<bool>& stop) const;

 private:
  class Sentence;
  WordNumbers source() const { return {source_, source_offsets_}; }
  WordNumbers target() const { return {target_, target_offsets_}; }

  std::vector<WordId> source_, target_;
  std::vector<std::int64_t> source_offsets_, target_offsets_;
  HmmOptions options_;
  TranslationTable table_;
  std::size_t longest_ = 0;    // source sentence, in words
  std::vector<double> jumps_;  // relative frequency of the jump d at d + longest_
  bool hmm_ = false;
};

}  // namespace tunesmith
