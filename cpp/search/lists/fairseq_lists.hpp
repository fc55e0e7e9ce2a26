// Output of fairseq-generate: S-, T-, H-, D-, P-, A- lines with the number of the sentence, sentences in any
// order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/lists/list_reader.hpp"

namespace tunesmith {

// An H line begins a candidate; D (its words), P (word scores) and A (alignment) of the same sentence that follow
// it are parts of it. Features: `score` of H and `logprob`, the sum of P. The words are those of D, of H where
// there is no D. Kept after the score: H where D has other words, P and A. Lines of other kinds are passed over.
class FairseqReader : public ListReader {
 public:
  explicit FairseqReader(bool skip_bad) : ListReader(SentenceOrder::any, skip_bad) {}
  void finish() override;

  const std::vector<SentenceText>& texts() const { return texts_; }

 private:
  struct Piece {
    std::string text;
    bool given = false;

    void set(std::string_view words) {
      text.assign(words);
      given = true;
    }
  };

  void line(std::string_view text) override;
  void begin_candidate(std::int64_t sentence, std::string_view text);
  void part(char kind, std::int64_t sentence, std::string_view text);
  void end_candidate();
  void add_candidate();
  Piece& piece(char kind);

  static constexpr std::int64_t none = -1;
  std::int64_t open_ = none;     // the sentence of the candidate whose lines are being read
  std::int64_t dropped_ = none;  // that of an H line that was left out
  std::int64_t line_ = 0;        // where the candidate began
  TextValue score_;
  std::string words_;  // of H
  Piece detokenized_, word_scores_, alignment_;
  std::vector<SentenceText> texts_;
};

}  // namespace tunesmith
