// The inverse of NbestReader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/lists/nbest_layout.hpp"
#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// Columns that are written after one label, `Name= v v`. Written in every line if `always`, otherwise where one
// of its values is not 0.
struct NbestLabel {
  std::string name;
  std::vector<std::uint32_t> columns;
  bool always = false;
};

// Token sequences as text: sequence i is tokens ids[offsets[i] .. offsets[i + 1]) of the vocabulary.
struct TokenTexts {
  std::span<const std::string_view> vocabulary;
  std::span<const std::uint32_t> ids;
  std::span<const std::int64_t> offsets;
};

struct NbestText {
  const CandidateLists& lists;
  std::span<const NbestLabel> labels;  // every column in one of them
  bool narrow = false;                 // values came from floats: their shortest text is meant
  TokenTexts words;
  const TokenTexts* rest = nullptr;  // what follows the score, if anything does
  std::span<const double> scores;    // one per candidate, or none
  std::size_t first = 0;             // the number of the first sentence of `lists`
  NbestOrder order = NbestOrder::features_first;
  bool joined = false;  // name=v instead of name= v; every label has one column
};

// The lines of the candidates of sentences [begin, end). Values have their shortest text, so reading gives them
// back. Token ids and offsets are trusted; where the score comes first there are scores.
std::string format_nbest(const NbestText& text, std::size_t begin, std::size_t end);

}  // namespace tunesmith
