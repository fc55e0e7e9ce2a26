#include "search/lists/sockeye_lists.hpp"

namespace tunesmith {
namespace {

constexpr const char* expected = R"(; expected {"sentence_id": 1, "translations": ["…"], "scores": [0.5]})";

[[noreturn]] void not_expected(const std::string& what) {
  throw Error(what + expected);
}

}  // namespace

// What can be wrong is found before anything is added, so that a line is taken whole or not at all.
void SockeyeReader::line(std::string_view text) {
  if (text.find_first_not_of(" \t") == std::string_view::npos) return;
  const Line read = parsed(text);
  if (!read.has_sentence) not_expected("there is no sentence_id");
  if (texts_.empty() && ends_.empty()) {
    if (!read.has_translation || !read.has_score) not_expected("there is no translation with a score");
    texts_.push_back(read.translation);
    scores_.push_back(read.score);
    ends_.push_back(1);
  }
  if (texts_.size() != ends_.size())
    throw Error("there are " + std::to_string(texts_.size()) + " translations and " +
                std::to_string(ends_.size()) + " scores");
  lists_.check_sentence(read.sentence);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    for (std::size_t at = begin; at < ends_[i]; ++at) lists_.value(factor(at - begin), scores_[at]);
    lists_.end_candidate(read.sentence);
    lists_.add_words(texts_[i]);
    lists_.add_score(scores_[begin].value);
    lists_.end_rest();
    begin = ends_[i];
  }
}

SockeyeReader::Line SockeyeReader::parsed(std::string_view text) {
  JsonScanner scanner(text);
  Line out;
  rooms_.clear();
  texts_.clear();
  scores_.clear();
  ends_.clear();
  if (scanner.peek() != '{') not_expected("this is not a JSON object");
  scanner.begin_object();
  while (scanner.next_key(key_)) {
    if (scanner.peek() == 'n') {
      scanner.skip();  // null, as if the key were not there
    } else if (key_ == "sentence_id") {
      out.sentence = sentence_of(scanner);
      out.has_sentence = true;
    } else if (key_ == "translation") {
      out.translation = text_of(scanner, "the translation");
      out.has_translation = true;
    } else if (key_ == "score") {
      out.score = score_of(scanner);
      out.has_score = true;
    } else if (key_ == "translations") {
      find_translations(scanner);
    } else if (key_ == "scores") {
      find_scores(scanner);
    } else {
      scanner.skip();
    }
    scanner.end_member();
  }
  scanner.end();
  return out;
}

// A number, which may be written as a text.
std::int64_t SockeyeReader::sentence_of(JsonScanner& scanner) {
  const char first = scanner.peek();
  const std::string_view number = first == '"' ? scanner.string(rooms_.emplace_back()) : scanner.skip();
  const std::int64_t sentence = whole_number_of(number, "the sentence_id");
  if (sentence == 0) from_zero_ = true;
  return sentence;
}

std::string_view SockeyeReader::text_of(JsonScanner& scanner, const char* what) {
  if (scanner.peek() != '"') not_expected(std::string(what) + " is not text");
  return scanner.string(rooms_.emplace_back());
}

TextValue SockeyeReader::score_of(JsonScanner& scanner) {
  const char first = scanner.peek();
  if (first != '-' && !(first >= '0' && first <= '9')) not_expected("a score is not a number");
  return value_of(scanner.number(), "the score");
}

void SockeyeReader::find_translations(JsonScanner& scanner) {
  if (scanner.peek() != '[') not_expected("the translations are not a list");
  if (!texts_.empty()) throw Error("there are two lists \"translations\"");
  scanner.elements([&] { texts_.push_back(text_of(scanner, "a translation")); });
}

void SockeyeReader::find_scores(JsonScanner& scanner) {
  if (scanner.peek() != '[') not_expected("the scores are not a list");
  if (!ends_.empty()) throw Error("there are two lists \"scores\"");
  scanner.elements([&] {
    if (scanner.peek() == '[') {
      const std::size_t before = scores_.size();
      scanner.elements([&] { scores_.push_back(score_of(scanner)); });
      if (scores_.size() == before) throw Error("a translation has no score");
    } else {
      scores_.push_back(score_of(scanner));
    }
    ends_.push_back(scores_.size());
  });
}

std::uint32_t SockeyeReader::factor(std::size_t at) {
  if (at == factors_.size()) factors_.push_back(lists_.feature(at == 0 ? "score" : "score_" + std::to_string(at)));
  return factors_[at];
}

}  // namespace tunesmith
