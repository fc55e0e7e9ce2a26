// Candidates of many sentences as a reader of text finds them, one after the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"
#include "search/lists/list_part.hpp"
#include "search/lists/value_text.hpp"

namespace tunesmith {

enum class SentenceOrder { rising, any };

// What all readers of candidate lists fill. Errors are without lines; who reads lines adds them.
class ListBuilder {
 public:
  explicit ListBuilder(SentenceOrder order = SentenceOrder::rising) : order_(order) {}

  // The number of the feature with this name, new or not.
  std::uint32_t feature(std::string_view name) { return static_cast<std::uint32_t>(features.add(name)); }
  void value(std::uint32_t feature, const TextValue& given) {
    narrow_ = narrow_ && given.narrow;
    part_.matrix.add(feature, given.value);
  }
  // The sentence number that stands here, checked. Nothing is changed.
  std::int64_t sentence_number(std::string_view number) const;
  // Error if this cannot be the sentence of the next candidate. Nothing is changed.
  void check_sentence(std::int64_t sentence) const;
  // Error if the next candidate has a score and those before have none, or the other way round.
  void check_score(bool has_score) const;
  // Candidates from here on belong to this sentence; those left out have no candidates.
  void begin_sentence(std::int64_t sentence);
  // Ends the features of a candidate. Throws Error, naming the feature, if one came twice; there is no such
  // candidate then.
  void end_candidate();
  // The same for a candidate of this sentence, which need not have begun.
  void end_candidate(std::int64_t sentence);
  // Ends a candidate that has statistics of a metric and nothing else.
  void end_statistics() { part_.matrix.end_row(); }
  // The words of the candidate, what follows its score, and the score.
  void add_words(std::string_view text);
  void add_rest(std::string_view text);
  void end_rest() { part_.rest.end(); }
  void add_score(double score);
  // Ends the last sentence. Error where sentences come in any order and hardly any has candidates.
  void finish();

  // Candidates read and not taken.
  std::size_t rows() const { return part_.matrix.rows(); }
  // The candidates of all sentences that are finished, handed over; features keep their numbers. Error before
  // finish() where sentences come in any order.
  ListPart take();

  WordTable features;

  // The sentence of the last candidate; -1 before the first.
  std::int64_t sentence() const { return sentence_; }

 private:
  void begin_sentence(std::int64_t sentence, std::size_t row);
  // The last sentence that so few candidates may have; memory is spent on every sentence.
  std::int64_t likely() const;

  SentenceOrder order_;
  ListPart part_;
  std::int64_t sentence_ = -1;
  std::int64_t taken_ = 0;
  bool narrow_ = true;  // of the candidate that has not ended, which may be refused
  bool finished_ = false, with_scores_ = false;
};

}  // namespace tunesmith
