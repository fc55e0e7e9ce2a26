#include "search/lists/nbest_writer.hpp"

#include <algorithm>

#include "search/lists/value_text.hpp"

namespace tunesmith {
namespace {

using Ids = std::span<const std::uint32_t>;

// Formats candidates one by one; the buffers are used again.
class LineFormat {
 public:
  explicit LineFormat(const NbestText& text)
      : text_(text), label_of_(text.lists.matrix.columns()), values_(text.lists.matrix.columns()) {
    for (std::uint32_t i = 0; i < text.labels.size(); ++i) {
      for (const std::uint32_t column : text.labels[i].columns) label_of_[column] = i;
      if (text.labels[i].always) always_.push_back(i);
    }
  }

  void append(std::string& out, std::size_t sentence, std::size_t candidate) {
    Ids alignment, word_scores, rest = tokens(text_.rest, candidate);
    if (text_.order == NbestOrder::alignment_first) take_pieces(rest, alignment, word_scores);
    out += std::to_string(text_.first + sentence);
    bar(out);
    append_tokens(out, text_.words, tokens(&text_.words, candidate));
    if (text_.order == NbestOrder::score_first) append_score(out, candidate);
    if (!alignment.empty()) {
      bar(out);
      append_tokens(out, *text_.rest, alignment);
    }
    bar(out);
    append_features(out, candidate);
    if (!word_scores.empty()) append_tokens(out, *text_.rest, word_scores);
    if (text_.order != NbestOrder::score_first && !text_.scores.empty()) append_score(out, candidate);
    if (!rest.empty()) {
      bar(out);
      append_tokens(out, *text_.rest, rest);
    }
    out += '\n';
  }

 private:
  static void bar(std::string& out) {
    out += ' ';
    out += field_separator;
  }

  static Ids tokens(const TokenTexts* texts, std::size_t candidate) {
    if (texts == nullptr) return {};
    const auto begin = static_cast<std::size_t>(texts->offsets[candidate]);
    return texts->ids.subspan(begin, static_cast<std::size_t>(texts->offsets[candidate + 1]) - begin);
  }

  static void append_tokens(std::string& out, const TokenTexts& texts, Ids ids) {
    for (const std::uint32_t id : ids) {
      out += ' ';
      out += texts.vocabulary[id];
    }
  }

  // Marian's own places for the alignment, the first piece between bars, and for the word scores.
  void take_pieces(Ids& rest, Ids& alignment, Ids& word_scores) const {
    const auto next = [&] {
      std::size_t size = 0;
      while (size < rest.size() && text_.rest->vocabulary[rest[size]] != field_separator) ++size;
      const Ids piece = rest.first(size);
      return piece;
    };
    const auto drop = [&](Ids piece) { rest = rest.subspan(std::min(piece.size() + 1, rest.size())); };
    const auto is_scores = [&](Ids piece) {
      return !piece.empty() && text_.rest->vocabulary[piece[0]] == word_scores_label;
    };
    if (const Ids piece = next(); !is_scores(piece)) {
      alignment = piece;
      drop(piece);
    }
    if (const Ids piece = next(); is_scores(piece)) {
      word_scores = piece;
      drop(piece);
    }
  }

  void append_score(std::string& out, std::size_t candidate) const {
    bar(out);
    out += ' ';
    append_value(out, text_.scores[candidate]);
  }

  void append_features(std::string& out, std::size_t candidate) {
    ids_.clear();
    row_.clear();
    text_.lists.matrix.row(candidate, ids_, row_);
    labels_ = always_;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      values_[ids_[i]] = row_[i];
      labels_.push_back(label_of_[ids_[i]]);
    }
    std::sort(labels_.begin(), labels_.end());
    labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
    for (const std::uint32_t label : labels_) {
      out += ' ';
      out += text_.labels[label].name;
      out += '=';
      for (const std::uint32_t column : text_.labels[label].columns) {
        if (!text_.joined) out += ' ';
        if (text_.narrow)
          append_value(out, static_cast<float>(values_[column]));
        else
          append_value(out, values_[column]);
      }
    }
    for (const std::uint32_t id : ids_) values_[id] = 0;
  }

  const NbestText& text_;
  std::vector<std::uint32_t> label_of_, always_, ids_, labels_;
  std::vector<double> values_, row_;
};

}  // namespace

std::string format_nbest(const NbestText& text, std::size_t begin, std::size_t end) {
  LineFormat format(text);
  std::string out;
  for (std::size_t sentence = begin; sentence < end; ++sentence)
    for (std::size_t candidate = text.lists.begin(sentence); candidate < text.lists.end(sentence); ++candidate)
      format.append(out, sentence, candidate);
  return out;
}

}  // namespace tunesmith
