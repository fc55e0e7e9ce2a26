// Candidates of many sentences as a reader of text finds them, one after the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"
#include "search/plain_builder.hpp"
#include "search/value_text.hpp"

namespace tunesmith {

// Sequences over words of their own: sequence i is ids[offsets[i] .. offsets[i + 1]).
struct TokenLists {
  WordTable table;
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> offsets{0};

  void add(std::string_view word) { ids.push_back(static_cast<std::uint32_t>(table.add(word))); }
  void end() { offsets.push_back(static_cast<std::int64_t>(ids.size())); }
};

// What all readers of candidate lists fill. Errors are without lines; who reads lines adds them.
class ListBuilder {
 public:
  // The number of the feature with this name, new or not.
  std::uint32_t feature(std::string_view name) { return static_cast<std::uint32_t>(features.add(name)); }
  void value(std::uint32_t feature, const TextValue& given) {
    narrow = narrow && given.narrow;
    matrix.add(feature, given.value);
  }
  // The sentence number that stands here; numbers must rise. Nothing is changed.
  std::int64_t sentence_number(std::string_view number) const;
  // Candidates from here on belong to this sentence; those left out have no candidates.
  void begin_sentence(std::int64_t sentence);
  // Throws Error, naming the feature, if one came twice.
  void end_candidate();
  // Ends the last sentence.
  void finish();

  PlainBuilder matrix;
  WordTable features;
  bool narrow = true;  // float keeps every value as it was written
  std::vector<std::int64_t> offsets{0};
  TokenLists words, rest;
  std::vector<double> scores;
  bool any_rest = false;

  // The sentence of the last candidate; -1 before the first.
  std::int64_t sentence() const { return sentence_; }

 private:
  std::int64_t sentence_ = -1;
};

}  // namespace tunesmith
