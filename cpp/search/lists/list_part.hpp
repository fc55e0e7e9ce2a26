// Candidates of some sentences as a reader of text hands them over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"
#include "search/matrices/plain_builder.hpp"

namespace tunesmith {

// Sequences over words of their own: sequence i is ids[offsets[i] .. offsets[i + 1]).
struct TokenLists {
  WordTable table;
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> offsets{0};

  void add(std::string_view word) { ids.push_back(static_cast<std::uint32_t>(table.add(word))); }
  void end() { offsets.push_back(static_cast<std::int64_t>(ids.size())); }
  // The sequences from number `count` on, with their own table; the others stay.
  TokenLists take_behind(std::size_t count);
};

// first: the sentence that offsets begin with; candidates of sentence first + i are offsets[i] .. offsets[i + 1].
// sentences: instead, where sentences come in any order, the one of every candidate.
// columns: the features that were known when this part was read.
struct ListPart {
  std::int64_t first = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> sentences;
  std::size_t columns = 0;
  PlainBuilder matrix;
  bool narrow = true;  // float keeps every value as it was written
  TokenLists words, rest;
  std::vector<double> scores;
  bool any_rest = false;
};

}  // namespace tunesmith
