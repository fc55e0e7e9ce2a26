#include "search/lists/nbest_reader.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

// The parts between words that are bars.
void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
  constexpr std::string_view bar = field_separator;
  fields.clear();
  std::size_t begin = 0;
  for (std::size_t at = line.find(bar); at != std::string_view::npos; at = line.find(bar, at + 1)) {
    const std::size_t end = at + bar.size();
    const bool before = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    const bool behind = end == line.size() || line[end] == ' ' || line[end] == '\t';
    if (!before || !behind || at < begin) continue;
    fields.push_back(line.substr(begin, at - begin));
    begin = end;
  }
  fields.push_back(line.substr(begin));
}

const char* expected_fields(NbestOrder order) {
  switch (order) {
    case NbestOrder::score_first:
      return "id ||| words ||| score ||| features";
    case NbestOrder::alignment_first:
      return "id ||| words [||| alignment] ||| features ||| score";
    default:
      return "id ||| words ||| features ||| score";
  }
}

// The feature of one of several values.
std::string numbered(std::string_view label, std::size_t at) {
  return std::string(label) + "_" + std::to_string(at);
}

}  // namespace

// What can be wrong is found before anything is added, so that a line is taken whole or not at all.
void NbestReader::line(std::string_view text) {
  const Fields fields = arranged(text);
  lists_.check_score(fields.has_score);
  const std::int64_t sentence = lists_.sentence_number(trimmed(fields_[0]));
  const double score = fields.has_score ? value_of(trimmed(fields.score), "the score").value : 0;
  find_features(fields.features);
  check_new_labels();
  add_features();
  lists_.end_candidate(sentence);
  lists_.add_words(fields.words);
  if (fields.has_score) lists_.add_score(score);
  add_rest(fields);
}

NbestReader::Fields NbestReader::arranged(std::string_view text) {
  split_fields(text, fields_);
  const std::size_t count = fields_.size();
  std::size_t features = 2, score = 3;
  if (reading_.order == NbestOrder::score_first) std::swap(features, score);
  const bool aligned = reading_.order == NbestOrder::alignment_first && count > 4;
  if (aligned) features = 3, score = 4;
  if (count < (reading_.order == NbestOrder::score_first ? 4 : 3))
    throw Error("there are " + std::to_string(count) + " fields; expected " + expected_fields(reading_.order));
  Fields out;
  out.words = fields_[1];
  out.features = fields_[features];
  out.has_score = score < count;
  if (out.has_score) out.score = fields_[score];
  if (aligned) out.alignment = fields_[2];
  // The text from the next field to the end, bars included.
  if (const std::size_t next = std::max(features, score) + 1; next < count)
    out.rest =
        std::string_view(fields_[next].data(), static_cast<std::size_t>(text.end() - fields_[next].begin()));
  return out;
}

void NbestReader::find_features(std::string_view field) {
  std::string_view label;
  std::size_t begin = 0;
  bool in_word_scores = false;
  found_.clear();
  values_.clear();
  word_scores_ = {};
  for_each_word(field, [&](std::string_view word) {
    const bool is_label = word.size() > 1 && word.ends_with('=');
    if (is_label && reading_.order == NbestOrder::alignment_first && word == word_scores_label) {
      if (!label.empty()) end_label(label, begin);
      if (!word_scores_.empty()) throw Error("there are two lists of word scores");
      label = {};
      word_scores_ = word;
      in_word_scores = true;
      return;
    }
    const std::size_t equals = is_label ? word.size() - 1 : word.rfind('=');
    if (equals != std::string_view::npos && equals > 0) {
      if (!label.empty()) end_label(label, begin);
      in_word_scores = false;
      label = word.substr(0, equals);
      begin = values_.size();
      if (is_label) return;
      values_.push_back(value_of(word.substr(equals + 1), "the value"));
      end_label(label, begin);
      label = {};
      return;
    }
    if (in_word_scores) {
      value_of(word, "the word score");
      word_scores_ = {word_scores_.data(), static_cast<std::size_t>(word.end() - word_scores_.begin())};
      return;
    }
    if (label.empty()) {
      if (!reading_.unlabelled || !found_.empty())
        throw Error((found_.empty() ? "the features begin with " : "a feature is followed by ") + quoted(word) +
                    "; expected a name such as LM0=");
      label = "feature";
      begin = 0;
    }
    values_.push_back(value_of(word, "the value"));
  });
  if (!label.empty()) end_label(label, begin);
}

void NbestReader::end_label(std::string_view label, std::size_t begin) {
  const std::size_t count = values_.size() - begin;
  if (count == 0) throw Error("the feature " + quoted(label) + " has no value");
  const WordId number = find_label(label);
  found_.push_back({label, begin, values_.size(), number});
  if (number == WordTable::none) return;
  if (const Label& known = labels_[static_cast<std::size_t>(number)]; count != known.values)
    throw Error("the feature " + quoted(label) + " has " + std::to_string(count) +
                " values, the first one of this name has " + std::to_string(known.values));
}

// Lines name their features in the same order as a rule, so the one of the line before is examined first.
WordId NbestReader::find_label(std::string_view label) const {
  const std::size_t at = found_.size();
  if (at < before_.size() && label_table_.word(before_[at]) == label) return before_[at];
  return label_table_.find(label);
}

// A line with new names must not be refused once these are features: then no feature may come twice in it, be it
// by another label (t= 1 2 t_0= 1).
void NbestReader::check_new_labels() {
  if (std::all_of(found_.begin(), found_.end(), [](const Found& each) { return each.number != WordTable::none; }))
    return;
  const auto check_once = [this] {
    std::sort(sorted_.begin(), sorted_.end());
    if (const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end()); twice != sorted_.end())
      throw Error("the feature " + quoted(*twice) + " has two values");
  };
  sorted_.clear();
  for (const Found& each : found_) sorted_.push_back(each.label);  // t= 1 t= 1 2: the same label, other features
  check_once();
  sorted_.clear();
  numbered_.clear();
  for (const Found& each : found_) {
    if (each.end - each.begin == 1)
      sorted_.push_back(each.label);
    else
      for (std::size_t i = 0; i < each.end - each.begin; ++i)
        sorted_.push_back(numbered_.emplace_back(numbered(each.label, i)));
  }
  check_once();
}

void NbestReader::add_features() {
  before_.clear();
  for (const Found& each : found_) {
    before_.push_back(each.number != WordTable::none ? each.number : label_table_.add(each.label));
    const auto number = static_cast<std::size_t>(before_.back());
    if (number == labels_.size()) {
      Label& made = labels_.emplace_back();
      made.values = each.end - each.begin;
      if (made.values == 1)
        made.features.push_back(lists_.feature(each.label));
      else
        for (std::size_t i = 0; i < made.values; ++i)
          made.features.push_back(lists_.feature(numbered(each.label, i)));
    }
    for (std::size_t i = each.begin; i < each.end; ++i)
      lists_.value(labels_[number].features[i - each.begin], values_[i]);
  }
}

void NbestReader::add_rest(const Fields& fields) {
  bool any = false;
  for (const std::string_view piece : {fields.alignment, word_scores_, fields.rest}) {
    if (trimmed(piece).empty()) continue;
    if (any) lists_.add_rest(field_separator);
    lists_.add_rest(piece);
    any = true;
  }
  lists_.end_rest();
}

}  // namespace tunesmith
