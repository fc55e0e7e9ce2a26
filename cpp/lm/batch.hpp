// Scores of many lines at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lm/model.hpp"

namespace tunesmith::lm {

struct LineScores {
  std::vector<double> total;          // log10 p(line </s> | <s>)
  std::vector<double> of_known;       // the part of the total that all but unknown words have
  std::vector<std::int64_t> words;    // without </s>
  std::vector<std::int64_t> unknown;  // words that are not in the model
};

// Each word of all lines, </s> included: line i has the entries from offsets[i] to offsets[i + 1].
struct WordScores {
  std::vector<std::int64_t> offsets;
  std::vector<float> probability;
  std::vector<std::int32_t> length, id;
};

// begin, end: whether lines begin with <s>, and whether </s> is scored. Results do not depend on `threads`.
LineScores score_lines(const Model& model, std::span<const std::string_view> lines, bool begin, bool end,
                       int threads);
WordScores score_words(const Model& model, std::span<const std::string_view> lines, bool begin, bool end);

// log10 p(last | words before) of each row of `width` word numbers.
std::vector<float> score_rows(const Model& model, std::span<const std::int32_t> rows, std::size_t width);

}  // namespace tunesmith::lm
