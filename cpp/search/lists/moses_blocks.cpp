#include "search/lists/moses_blocks.hpp"

#include "base/quoted.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

constexpr std::uint64_t most_statistics = 1000;  // for each candidate; metrics have some ten
constexpr std::size_t header_words = 4;          // keyword, sentence, candidates, numbers in a line

}  // namespace

void MosesBlockReader::finish() {
  splitter_.finish([&](std::string_view text) { line(text); });
  if (inside_)
    throw LineError(splitter_.lines(), "the file ends inside the block of sentence " +
                                           std::to_string(lists_.sentence()) + "; it is cut off");
  lists_.finish();
}

void MosesBlockReader::line(std::string_view text) {
  words_.clear();
  for_each_word(text, [&](std::string_view word) { words_.push_back(word); });
  if (!inside_) {
    if (!words_.empty()) header();
    return;
  }
  if (seen_ == expected_) {
    if (words_.size() != 1 || words_[0] != (scores_ ? "SCORES_TXT_END_0" : "FEATURES_TXT_END_0"))
      throw Error("the block has more than the " + std::to_string(expected_) + " lines its first line promises");
    inside_ = false;
    return;
  }
  if (words_.size() == 1 && words_[0].find("_TXT_END_") != std::string_view::npos)
    throw Error("the block ends after " + std::to_string(seen_) + " of " + std::to_string(expected_) + " lines");
  scores_ ? statistics_row() : features();
  ++seen_;
}

void MosesBlockReader::not_a_header() const {
  const std::string_view first = words_[0];
  if (first.find("_BIN_BEGIN_") != std::string_view::npos)
    throw Error("this is the binary form of Moses' files; only the text form is read");
  if (first.starts_with(scores_ ? "FEATURES_TXT_BEGIN" : "SCORES_TXT_BEGIN"))
    throw Error(scores_ ? "these are features, not scores; were the files given in the wrong order?"
                        : "these are scores, not features; were the files given in the wrong order?");
  throw Error(std::string("a block must begin with ") + (scores_ ? "SCORES" : "FEATURES") + "_TXT_BEGIN_0");
}

void MosesBlockReader::header() {
  if (words_[0] != (scores_ ? "SCORES_TXT_BEGIN_0" : "FEATURES_TXT_BEGIN_0")) not_a_header();
  if (words_.size() < header_words)
    throw Error("the first line of a block needs sentence, candidates and numbers");
  const std::int64_t before = lists_.sentence();
  lists_.begin_sentence(lists_.sentence_number(words_[1]));
  if (lists_.sentence() == before)
    throw Error("sentence " + std::to_string(before) + " has a block already; give several runs as several files");
  expected_ = whole_number_of<std::uint64_t>(words_[2], "the number of candidates");
  seen_ = 0;
  const auto numbers = whole_number_of<std::uint64_t>(words_[3], "the number of features");
  if (scores_) {
    if (blocks_ > 0 && numbers != width_)
      throw Error("there are " + std::to_string(numbers) + " statistics, the first block has " +
                  std::to_string(width_));
    if (numbers > most_statistics)
      throw Error("there are at most " + std::to_string(most_statistics) + " statistics, not " +
                  std::to_string(numbers));
    width_ = static_cast<std::size_t>(numbers);
    if (words_.size() > header_words) metric_ = words_[header_words];
  } else {
    if (words_.size() - header_words != numbers)
      throw Error("there are " + std::to_string(words_.size() - header_words) + " names for " +
                  std::to_string(numbers) + " features");
    columns_.clear();
    for (const std::string_view name : std::span(words_).subspan(header_words))
      columns_.push_back(lists_.feature(name));
  }
  ++blocks_;
  inside_ = true;
}

void MosesBlockReader::features() {
  if (words_.size() < columns_.size())
    throw Error("there are " + std::to_string(words_.size()) + " values for " + std::to_string(columns_.size()) +
                " features");
  for (std::size_t i = 0; i < columns_.size(); ++i) lists_.value(columns_[i], value_of(words_[i], "the value"));
  for (const std::string_view pair : std::span(words_).subspan(columns_.size())) {
    const std::size_t equals = pair.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
      throw Error("there are more values than the " + std::to_string(columns_.size()) +
                  " features, or a sparse feature without a name: " + quoted(pair));
    lists_.value(lists_.feature(pair.substr(0, equals)), value_of(pair.substr(equals + 1), "the value"));
  }
  lists_.end_candidate();
}

void MosesBlockReader::statistics_row() {
  if (words_.size() != width_)
    throw Error("expected " + std::to_string(width_) + " statistics, got " + std::to_string(words_.size()));
  for (const std::string_view word : words_) statistics_.push_back(value_of(word, "the statistic").value);
  lists_.end_statistics();
}

}  // namespace tunesmith
