// The phrases that may translate the spans of one sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decoding/options.hpp"
#include "decoding/row_scores.hpp"
#include "decoding/sentence_rows.hpp"
#include "decoding/target_options.hpp"
#include "grammar/tables/side_lookup.hpp"

namespace tunesmith {

// The options of source words [begin, end), best first.
struct PhraseSpan {
  std::uint16_t begin, end;
  std::uint32_t count;
  TargetOption* options;
  RowScores rows;

  // What the rows of the sentence score for an option.
  float own(SentenceRows& sentence, std::uint32_t option) const {
    return rows.of(sentence, {options[option].rule, begin, end}, options[option], option);
  }
};

// All spans that a source side of the table matches; a word that no side is alone passes through. Forced spans
// have one option, and no other span has words of theirs. It is the rule of the table that is the same pair, if
// there is one; otherwise it counts as one unknown word.
class PhraseSpans {
 public:
  PhraseSpans(const DecoderModel& model, const DecoderOptions& options)
      : model_(model),
        max_length_(static_cast<std::size_t>(options.of("max_length"))),
        sides_(model.rules.source_symbols, model.rules.source_offsets) {}

  // What is made for this sentence alone is taken from `arena`.
  void find(SentenceRows& rows, TargetOptions& targets, Arena& arena);

  // Spans that begin at a word, the shortest first.
  std::span<const PhraseSpan> from(std::size_t begin) const {
    return {spans_.data() + first_[begin], spans_.data() + first_[begin + 1]};
  }
  std::uint32_t longest() const { return longest_; }
  std::size_t bytes() const { return spans_.size() * sizeof(PhraseSpan) + first_.size() * sizeof(std::size_t); }

 private:
  std::uint32_t side_of(const Sentence& sentence, std::size_t begin, std::size_t end);
  TargetOption& forced_option(const Sentence& sentence, const ForcedSpan& forced, TargetOptions& targets,
                              Arena& arena);
  std::int32_t passed_word(const Sentence& sentence, std::size_t at);
  void pass_through(const Sentence& sentence, std::size_t at, TargetOptions& targets, Arena& arena);

  const DecoderModel& model_;
  std::size_t max_length_;
  SideLookup sides_;
  std::vector<PhraseSpan> spans_;
  std::vector<std::size_t> first_;
  std::unordered_map<std::string_view, std::size_t> passed_;  // where new words stand first
  std::uint32_t longest_ = 0;
};

}  // namespace tunesmith
