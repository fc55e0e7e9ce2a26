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
#include "search/lists/list_reader.hpp"

namespace tunesmith {

// Sentences come in any order, unless they must rise: then extras are not kept, so that memory is bounded where
// candidates are taken as they come. Other keys are passed over, blank lines too.
class JsonListReader : public ListReader {
 public:
  JsonListReader(SentenceOrder order, bool skip_bad)
      : ListReader(order, skip_bad), with_extras_(order == SentenceOrder::any) {}

  const std::vector<SentenceText>& extras() const { return extras_; }

 private:
  struct Line {
    std::int64_t sentence = -1;
    std::string_view hypothesis, rest, score, references, source;
    bool has_hypothesis = false;
  };

  void line(std::string_view text) override;
  Line parsed(std::string_view text);
  std::string_view text_of(JsonScanner& scanner, const char* what);
  void find_features(JsonScanner& scanner);
  void check_names();

  bool with_extras_;
  std::vector<SentenceText> extras_;
  std::deque<std::string> rooms_;  // of strings with escapes
  std::string key_, name_;
  std::vector<std::pair<std::string_view, TextValue>> found_;
  std::vector<std::string_view> sorted_;
};

}  // namespace tunesmith
