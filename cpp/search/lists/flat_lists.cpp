#include "search/lists/flat_lists.hpp"

#include <algorithm>
#include <charconv>

#include "base/words.hpp"

namespace tunesmith {
namespace {

constexpr std::string_view header_start = "# n=", model_score = "model_score";
constexpr std::size_t most_digits = 9;

// Calls visit(field) for what stands between tabulators.
template <class Visit>
void for_each_field(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\t', begin), text.size());
    visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool is_word(std::string_view text) {
  bool whole = false;
  for_each_word(text, [&](std::string_view word) { whole = word.size() == text.size(); });
  return whole;
}

}  // namespace

void FlatReader::finish() {
  splitter_.finish([&](std::string_view text) { line(text); });
  const std::int64_t candidates = splitter_.lines() - (has_header_ ? 1 : 0);
  if (size_ > 0 && candidates % size_ != 0)
    throw LineError(splitter_.lines(), "the file ends behind candidate " + std::to_string(candidates % size_) +
                                           " of " + std::to_string(size_) + " of sentence " +
                                           std::to_string(candidates / size_));
  lists_.finish();
}

bool FlatReader::header(std::string_view text) {
  if (!text.starts_with(header_start)) return false;
  std::int64_t size = 0;
  std::vector<std::string> names;
  bool good = true, first = true;
  for_each_field(text.substr(header_start.size()), [&](std::string_view field) {
    if (first) {
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), size);
      good = !field.empty() && field[0] >= '1' && field[0] <= '9' && field.size() <= most_digits &&
             error == std::errc{} && end == field.data() + field.size();
    } else {
      good = good && is_word(field);
      names.emplace_back(field);
    }
    first = false;
  });
  if (!good) return false;
  size_ = size;
  columns_.names = std::move(names);
  columns_.named = true;
  return true;
}

// The number of the line says which candidate it is, so that one that was left out is counted too.
void FlatReader::line(std::string_view text) {
  if (splitter_.lines() == 1 && (has_header_ = header(text))) return;
  if (size_ == 0) no_size_ = true;
  if (no_size_ || score_error_) return;
  const std::int64_t candidate = splitter_.lines() - (has_header_ ? 2 : 1);
  const Row* row = nullptr;
  if (beside_) {
    row = row_of(candidate);
    if (row == nullptr) return;
  }
  values_.clear();
  std::string_view words;
  bool first = true;
  for_each_field(text, [&](std::string_view field) {
    if (first)
      words = field;
    else
      values_.push_back(value_of(trimmed(field), "the value"));
    first = false;
  });
  check_count(columns_, values_.size());
  std::optional<double> score;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (feature(columns_, i) == is_score) score = values_[i].value;
  lists_.check_score(score.has_value());
  const auto add = [&](Columns& columns, const std::vector<TextValue>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const std::uint32_t id = feature(columns, i); id != is_score) lists_.value(id, values[i]);
  };
  add(columns_, values_);
  if (row != nullptr) add(score_columns_, row->values);
  lists_.end_candidate(candidate / size_);
  lists_.add_words(words);
  if (score) lists_.add_score(*score);
  lists_.end_rest();
}

void FlatReader::check_count(const Columns& columns, std::size_t values) const {
  if (columns.named && columns.names.size() != values)
    throw Error("there are " + std::to_string(values) + " columns, the first line names " +
                std::to_string(columns.names.size()));
}

std::uint32_t FlatReader::feature(Columns& columns, std::size_t at) {
  while (columns.features.size() <= at) {
    const std::size_t next = columns.features.size();
    const std::string name = columns.named ? columns.names[next] : "column_" + std::to_string(next);
    columns.features.push_back(name == model_score ? is_score : lists_.feature(name));
  }
  return columns.features[at];
}

void FlatReader::add_scores(std::string_view block) {
  score_splitter_.add(block, [&](std::string_view text) { score_line(text); });
}

void FlatReader::finish_scores() {
  score_splitter_.finish([&](std::string_view text) { score_line(text); });
}

void FlatReader::score_line(std::string_view text) {
  if (score_splitter_.lines() == 1 && text.starts_with('#')) {
    score_columns_.named = true;
    for_each_word(text.substr(1), [&](std::string_view name) { score_columns_.names.emplace_back(name); });
    return;
  }
  Row row{score_rows_, score_splitter_.lines(), false, {}};
  for_each_word(text, [&](std::string_view word) {
    TextValue value;
    if (score_rows_ == 0 && row.values.empty() && !parse_value(word, value))  // any file; it is not shown
      throw Error("the line does not begin with a finite number; expected scores");
    row.values.push_back(value_of(word, "the value"));
  });
  row.blank = row.values.empty();
  if (!row.blank) check_count(score_columns_, row.values.size());  // blank lines may stand at the end
  ++score_rows_;
  rows_.push_back(std::move(row));
}

const FlatReader::Row* FlatReader::row_of(std::int64_t candidate) {
  while (!rows_.empty() && rows_.front().at < candidate) rows_.pop_front();
  if (rows_.empty()) {
    score_error_.emplace(0, "ends behind " + std::to_string(score_rows_) + " candidates, there are more");
    return nullptr;
  }
  const Row& row = rows_.front();
  try {
    check_count(score_columns_, row.values.size());
  } catch (const Error& error) {
    score_error_.emplace(row.line, error.what());
    return nullptr;
  }
  return &row;
}

void FlatReader::check() const {
  if (no_size_) throw Error("how many candidates has a sentence? Give the dialect as flat:n=10");
}

void FlatReader::check_scores() const {
  if (score_error_) throw *score_error_;
}

void FlatReader::check_end() const {
  const std::int64_t candidates = splitter_.lines() - (has_header_ ? 1 : 0);
  for (const Row& row : rows_)
    if (row.at >= candidates && !row.blank)
      throw Error("has more lines than the " + std::to_string(candidates) + " candidates");
}

}  // namespace tunesmith
