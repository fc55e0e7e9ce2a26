#include "search/moses_nbest_writer.hpp"

#include <algorithm>

#include "search/value_text.hpp"

namespace tunesmith {
namespace {

void append_tokens(std::string& out, const TokenTexts& tokens, std::size_t candidate) {
  for (auto i = static_cast<std::size_t>(tokens.offsets[candidate]);
       i < static_cast<std::size_t>(tokens.offsets[candidate + 1]); ++i) {
    out += ' ';
    out += tokens.vocabulary[tokens.ids[i]];
  }
}

}  // namespace

std::string format_moses_nbest(const NbestText& text, std::size_t begin, std::size_t end) {
  const CandidateMatrix& matrix = text.lists.matrix;
  std::vector<std::uint32_t> label_of(matrix.columns());
  std::vector<std::uint32_t> always;
  for (std::uint32_t i = 0; i < text.labels.size(); ++i) {
    for (const std::uint32_t column : text.labels[i].columns) label_of[column] = i;
    if (text.labels[i].always) always.push_back(i);
  }
  std::vector<double> values(matrix.columns());
  std::vector<std::uint32_t> ids, labels;
  std::vector<double> row;
  std::string out;
  for (std::size_t sentence = begin; sentence < end; ++sentence)
    for (std::size_t candidate = text.lists.begin(sentence); candidate < text.lists.end(sentence); ++candidate) {
      out += std::to_string(text.first + sentence);
      out += " |||";
      append_tokens(out, text.words, candidate);
      out += " |||";
      ids.clear();
      row.clear();
      matrix.row(candidate, ids, row);
      labels = always;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        values[ids[i]] = row[i];
        labels.push_back(label_of[ids[i]]);
      }
      std::sort(labels.begin(), labels.end());
      labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
      for (const std::uint32_t label : labels) {
        out += ' ';
        out += text.labels[label].name;
        out += '=';
        for (const std::uint32_t column : text.labels[label].columns) {
          out += ' ';
          if (text.narrow)
            append_value(out, static_cast<float>(values[column]));
          else
            append_value(out, values[column]);
        }
      }
      for (const std::uint32_t id : ids) values[id] = 0;
      if (!text.scores.empty()) {
        out += " ||| ";
        append_value(out, text.scores[candidate]);
        if (text.rest != nullptr && text.rest->offsets[candidate] < text.rest->offsets[candidate + 1]) {
          out += " |||";
          append_tokens(out, *text.rest, candidate);
        }
      }
      out += '\n';
    }
  return out;
}

}  // namespace tunesmith
