// Lists as JSON lines, one candidate each: {"id": 0, "hypothesis": "words", "features": {"lm": -4.5}, "score":
// -2.1}
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_scanner.hpp"
#include "base/line_splitter.hpp"
#include "search/list_builder.hpp"
#include "search/nbest_reader.hpp"

namespace tunesmith {

// What belongs to a sentence and not to a candidate, as it stands in the file.
struct JsonExtra {
  std::int64_t sentence = 0;
  bool references = false;  // or the source
  std::string value;
};

// Sentences come in any order; those of the candidates are in `sentences`, in the order of the lines. Other keys
// are passed over, blank lines too.
class JsonListReader {
 public:
  explicit JsonListReader(bool skip_bad);
  void add(std::string_view block);
  void finish();

  // Without offsets: sentences need not rise.
  ListBuilder& lists() { return lists_; }
  std::vector<std::int64_t>& sentences() { return sentences_; }
  const std::vector<JsonExtra>& extras() const { return extras_; }
  const std::vector<BadLine>& bad_lines() const { return bad_lines_; }
  std::int64_t bad_count() const { return bad_count_; }

 private:
  struct Line {
    std::int64_t sentence = -1;
    std::string_view hypothesis, rest, score, references, source;
    bool has_hypothesis = false;
  };

  void line(std::string_view text);
  Line parsed(std::string_view text);
  std::string_view text_of(JsonScanner& scanner, const char* what);
  void find_features(JsonScanner& scanner);
  void check_names();

  LineSplitter splitter_;
  ListBuilder lists_;
  std::vector<std::int64_t> sentences_;
  std::vector<JsonExtra> extras_;
  std::deque<std::string> rooms_;  // of strings with escapes
  std::string key_;
  std::vector<std::pair<std::string_view, TextValue>> found_;
  std::vector<std::string_view> sorted_;
  std::vector<BadLine> bad_lines_;
  std::int64_t bad_count_ = 0;
};

}  // namespace tunesmith
