#include "lm/arpa_writer.hpp"

#include <charconv>

namespace tunesmith::lm {

void append_float(std::string& text, float value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void ArpaWriter::begin_section(int order) {
  if (section_ == 0) {
    text_ += "\\data\\\n";
    for (int n = 1; n <= estimate_.order(); ++n)
      text_ += "ngram " + std::to_string(n) + "=" +
               std::to_string(estimate_.statistics()[static_cast<std::size_t>(n - 1)].kept) + "\n";
  }
  while (section_ < order) text_ += "\n\\" + std::to_string(++section_) + "-grams:\n";
}

std::string ArpaWriter::next() {
  constexpr std::size_t enough = std::size_t{1} << 20;
  text_.clear();
  if (ended_) return {};
  const WordTable& words = estimate_.words();
  const auto append_word = [&](std::uint32_t word) { text_ += words.word(static_cast<WordId>(word)); };
  int order = 0;
  Estimate::Ngram ngram;
  while (text_.size() < enough) {
    if (!estimate_.next(order, ngram)) {
      begin_section(estimate_.order());
      text_ += "\n\\end\\\n";
      ended_ = true;
      break;
    }
    begin_section(order);
    append_float(text_, ngram.probability);
    text_ += '\t';
    for (int i = order - 2; i >= 0; --i) {
      append_word(ngram.words[i]);
      text_ += ' ';
    }
    append_word(ngram.words[order - 1]);
    if (order < estimate_.order()) {
      text_ += '\t';
      append_float(text_, ngram.backoff);
    }
    text_ += '\n';
  }
  return text_;
}

}  // namespace tunesmith::lm
