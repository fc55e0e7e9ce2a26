#include "search/list_builder.hpp"

#include <charconv>
#include <string>

#include "base/error.hpp"
#include "base/quoted.hpp"

namespace tunesmith {
namespace {

// A sentence number far beyond what the candidates so far make likely is rather a mistake than a promise of empty
// lists, each of which takes memory.
constexpr std::int64_t likely_sentences = 1'000'000, likely_per_candidate = 100;

}  // namespace

std::int64_t ListBuilder::sentence_number(std::string_view number) const {
  std::int64_t sentence = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), sentence);
  if (number.empty() || end != number.data() + number.size() || error != std::errc{} || sentence < 0)
    throw Error("the sentence number " + quoted(number) + " is not a whole number from 0");
  if (sentence < sentence_)
    throw Error(
        "sentence " + std::to_string(sentence) + " follows sentence " + std::to_string(sentence_) +
        "; a list must be grouped by sentence in ascending order. Sort it with: tunesmith candidates sort");
  if (sentence > likely_sentences + likely_per_candidate * static_cast<std::int64_t>(matrix.rows()))
    throw Error("sentence " + std::to_string(sentence) + " follows sentence " + std::to_string(sentence_) +
                "; so many sentences without candidates cannot be meant");
  return sentence;
}

void ListBuilder::begin_sentence(std::int64_t sentence) {
  // offsets ends with the begin of the sentence that is open.
  for (std::int64_t at = sentence_; at < sentence; ++at)
    if (at >= 0) offsets.push_back(static_cast<std::int64_t>(matrix.rows()));
  sentence_ = sentence;
}

void ListBuilder::end_candidate() {
  try {
    matrix.end_row();
  } catch (const Error&) {
    const std::uint32_t id = matrix.repeated();
    throw Error("the feature " + quoted(features.word(static_cast<WordId>(id))) + " has two values");
  }
}

void ListBuilder::finish() {
  if (sentence_ >= 0) offsets.push_back(static_cast<std::int64_t>(matrix.rows()));
  sentence_ = -1;
}

}  // namespace tunesmith
