#include "search/lists/list_builder.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/quoted.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

// A sentence number far beyond what the candidates so far make likely is rather a mistake than a promise of empty
// lists, each of which takes memory.
constexpr std::int64_t likely_sentences = 1'000'000, likely_per_candidate = 100;
// What no list has. Where sentences come in any order, the first may well be a late one of many.
constexpr std::int64_t most_sentences = 1'000'000'000;

}  // namespace

TokenLists TokenLists::take_behind(std::size_t count) {
  TokenLists others;
  if (offsets.size() <= count + 1) return others;
  for (std::size_t i = count; i + 1 < offsets.size(); ++i) {
    for (std::int64_t at = offsets[i]; at < offsets[i + 1]; ++at)
      others.add(table.word(static_cast<WordId>(ids[static_cast<std::size_t>(at)])));
    others.end();
  }
  offsets.resize(count + 1);
  ids.resize(static_cast<std::size_t>(offsets.back()));
  return others;
}

std::int64_t ListBuilder::sentence_number(std::string_view number) const {
  const std::int64_t sentence = whole_number_of(number, "the sentence number");
  check_sentence(sentence);
  return sentence;
}

void ListBuilder::check_sentence(std::int64_t sentence) const {
  if (order_ == SentenceOrder::rising && sentence < sentence_)
    throw Error(
        "sentence " + std::to_string(sentence) + " follows sentence " + std::to_string(sentence_) +
        "; a list must be grouped by sentence in ascending order. Sort it with: tunesmith candidates sort");
  if (sentence > (order_ == SentenceOrder::rising ? likely() : most_sentences))
    throw Error("sentence " + std::to_string(sentence) +
                (sentence_ < 0 ? " is the first one" : " follows sentence " + std::to_string(sentence_)) +
                "; too many sentences without candidates before it");
}

std::int64_t ListBuilder::likely() const {
  return likely_sentences + likely_per_candidate * (taken_ + static_cast<std::int64_t>(rows()));
}

void ListBuilder::check_score(bool has_score) const {
  if (rows() == 0 && taken_ == 0) return;
  if (has_score != with_scores_)
    throw Error(has_score ? "there is a score, the candidates before have none"
                          : "there is no score, the candidates before have one");
}

void ListBuilder::begin_sentence(std::int64_t sentence) {
  begin_sentence(sentence, rows());
}

void ListBuilder::begin_sentence(std::int64_t sentence, std::size_t row) {
  if (order_ == SentenceOrder::rising)
    // offsets ends with the begin of the sentence that is open.
    for (std::int64_t at = std::max<std::int64_t>(sentence_, 0); at < sentence; ++at)
      part_.offsets.push_back(static_cast<std::int64_t>(row));
  sentence_ = sentence;
}

void ListBuilder::end_candidate() {
  const bool narrow = std::exchange(narrow_, true);
  try {
    part_.matrix.end_row();
    part_.narrow = part_.narrow && narrow;
  } catch (const Error&) {
    const std::uint32_t id = part_.matrix.repeated();
    throw Error("the feature " + quoted(features.word(static_cast<WordId>(id))) + " has two values");
  }
}

void ListBuilder::end_candidate(std::int64_t sentence) {
  end_candidate();
  begin_sentence(sentence, rows() - 1);
  if (order_ == SentenceOrder::any) part_.sentences.push_back(sentence);
}

void ListBuilder::add_words(std::string_view text) {
  for_each_word(text, [&](std::string_view word) { part_.words.add(word); });
  part_.words.end();
}

void ListBuilder::add_rest(std::string_view text) {
  for_each_word(text, [&](std::string_view word) {
    part_.rest.add(word);
    part_.any_rest = true;
  });
}

void ListBuilder::add_score(double score) {
  part_.scores.push_back(score);
  with_scores_ = true;
}

void ListBuilder::finish() {
  if (finished_) return;
  if (sentence_ >= 0 && order_ == SentenceOrder::rising)
    part_.offsets.push_back(static_cast<std::int64_t>(rows()));
  finished_ = true;
  const auto last = std::ranges::max_element(part_.sentences);
  if (last != part_.sentences.end() && *last > likely())
    throw Error("sentence " + std::to_string(*last) + " of " + std::to_string(rows()) +
                " candidates; too many sentences without candidates before it");
}

ListPart ListBuilder::take() {
  const bool rising = order_ == SentenceOrder::rising;
  if (!rising && !finished_) throw Error("sentences that come in any order are handed over in the end");
  const std::size_t count = rising ? static_cast<std::size_t>(part_.offsets.back()) : rows();
  ListPart taken = std::exchange(part_, ListPart());
  part_.first = taken.first + static_cast<std::int64_t>(taken.offsets.size()) - 1;
  part_.narrow = taken.narrow;
  part_.matrix = taken.matrix.take_behind(count);
  part_.words = taken.words.take_behind(count);
  part_.rest = taken.rest.take_behind(count);
  part_.any_rest = !part_.rest.ids.empty();
  if (count < taken.scores.size()) {
    part_.scores.assign(taken.scores.begin() + static_cast<std::ptrdiff_t>(count), taken.scores.end());
    taken.scores.resize(count);
  }
  taken.columns = features.size();
  taken_ += static_cast<std::int64_t>(count);
  return taken;
}

}  // namespace tunesmith
