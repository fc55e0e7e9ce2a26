// JSON lines of sockeye, one sentence each: {"sentence_id": 1, "translations": […], "scores": […], …}.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_scanner.hpp"
#include "search/lists/list_reader.hpp"

namespace tunesmith {

// Features: `score`, and `score_1`, … where there are scores of factors. Sentences have the numbers that stand in
// the file, as a rule from 1 on. Other keys are passed over, blank lines too.
class SockeyeReader : public ListReader {
 public:
  SockeyeReader(SentenceOrder order, bool skip_bad) : ListReader(order, skip_bad) {}

  // Whether a line so far, kept or left out, was of sentence 0.
  bool from_zero() const { return from_zero_; }

 private:
  struct Line {
    std::int64_t sentence = 0;
    bool has_sentence = false, has_translation = false, has_score = false;
    std::string_view translation;
    TextValue score;
  };

  void line(std::string_view text) override;
  Line parsed(std::string_view text);
  std::int64_t sentence_of(JsonScanner& scanner);
  std::string_view text_of(JsonScanner& scanner, const char* what);
  TextValue score_of(JsonScanner& scanner);
  void find_translations(JsonScanner& scanner);
  void find_scores(JsonScanner& scanner);
  std::uint32_t factor(std::size_t at);

  std::deque<std::string> rooms_;  // of strings with escapes
  std::string key_;
  std::vector<std::string_view> texts_;
  std::vector<TextValue> scores_;  // of all translations, from ends_ to ends_
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> factors_;
  bool from_zero_ = false;
};

}  // namespace tunesmith
