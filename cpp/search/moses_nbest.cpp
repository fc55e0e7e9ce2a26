#include "search/moses_nbest.hpp"

#include "base/words.hpp"

namespace tunesmith {
namespace {

constexpr std::string_view bar = "|||";

// The parts between words that are bars.
void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
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

std::string_view trimmed(std::string_view field) {
  const std::size_t begin = field.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return field.substr(begin, field.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

void MosesNbestReader::add(std::string_view block) {
  splitter_.add(block, [&](std::string_view text) { line(text); });
}

void MosesNbestReader::finish() {
  splitter_.finish([&](std::string_view text) { line(text); });
  lists_.finish();
}

void MosesNbestReader::wrong_fields(std::size_t count) const {
  throw Error("there are " + std::to_string(count) + " fields; id ||| words ||| features ||| score was expected");
}

void MosesNbestReader::line(std::string_view text) {
  split_fields(text, fields_);
  if (fields_.size() < 3) wrong_fields(fields_.size());
  const bool with_score = fields_.size() > 3;
  if (lists_.matrix.rows() == 0) with_scores_ = with_score;
  if (with_score != with_scores_)
    throw Error(with_score ? "there is a score, the lines before have none"
                           : "there is no score, the lines before have one");
  lists_.begin_sentence(trimmed(fields_[0]));
  for_each_word(fields_[1], [&](std::string_view word) { lists_.words.add(word); });
  lists_.words.end();
  features(fields_[2]);
  lists_.end_candidate();
  if (with_score) lists_.scores.push_back(value_of(trimmed(fields_[3]), "the score").value);
  if (fields_.size() > 4) {
    // From the fifth field to the end, bars included.
    lists_.any_rest = true;
    const std::string_view rest(fields_[4].data(), static_cast<std::size_t>(text.end() - fields_[4].begin()));
    for_each_word(rest, [&](std::string_view word) { lists_.rest.add(word); });
  }
  lists_.rest.end();
}

void MosesNbestReader::features(std::string_view field) {
  std::string_view label;
  values_.clear();
  for_each_word(field, [&](std::string_view word) {
    if (word.size() > 1 && word.ends_with('=')) {
      if (!label.empty()) end_label(label);
      label = word.substr(0, word.size() - 1);
      return;
    }
    if (label.empty())
      throw Error("the features begin with " + quoted_value(word) + "; a name such as LM0= was expected");
    values_.push_back(value_of(word, "the value"));
  });
  if (!label.empty()) end_label(label);
}

void MosesNbestReader::end_label(std::string_view label) {
  if (values_.empty()) throw Error("the feature " + quoted_value(label) + " has no value");
  const auto number = static_cast<std::size_t>(label_table_.add(label));
  if (number == labels_.size()) {
    labels_.emplace_back();
    labels_.back().values = values_.size();
    for (std::size_t i = 0; i < values_.size(); ++i)
      labels_.back().features.push_back(
          lists_.feature(values_.size() == 1 ? std::string(label) : std::string(label) + "_" + std::to_string(i)));
  }
  const Label& known = labels_[number];
  if (values_.size() != known.values)
    throw Error("the feature " + quoted_value(label) + " has " + std::to_string(values_.size()) +
                " values, the first one of this name has " + std::to_string(known.values));
  for (std::size_t i = 0; i < values_.size(); ++i) lists_.value(known.features[i], values_[i]);
  values_.clear();
}

}  // namespace tunesmith
