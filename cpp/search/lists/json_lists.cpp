#include "search/lists/json_lists.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

constexpr const char* expected = R"(; expected {"id": 0, "hypothesis": "…", "features": {…}})";

}  // namespace

void JsonListReader::line(std::string_view text) {
  if (text.find_first_not_of(" \t") == std::string_view::npos) return;
  const Line read = parsed(text);
  const bool with_score = !read.score.empty();
  lists_.check_sentence(read.sentence);
  lists_.check_score(with_score);
  const double score = with_score ? value_of(read.score, "the score").value : 0;
  check_names();
  for (const auto& [name, value] : found_) lists_.value(lists_.feature(name), value);
  lists_.end_candidate(read.sentence);
  lists_.add_words(read.hypothesis);
  lists_.add_rest(read.rest);
  lists_.end_rest();
  if (with_score) lists_.add_score(score);
  if (!with_extras_) return;
  if (!read.references.empty()) extras_.push_back({read.sentence, true, std::string(read.references)});
  if (!read.source.empty()) extras_.push_back({read.sentence, false, std::string(read.source)});
}

JsonListReader::Line JsonListReader::parsed(std::string_view text) {
  JsonScanner scanner(text);
  Line out;
  rooms_.clear();
  found_.clear();
  bool features = false;
  if (scanner.peek() != '{') throw Error(std::string("this is not a JSON object") + expected);
  scanner.begin_object();
  while (scanner.next_key(key_)) {
    if (key_ == "id") {
      if (scanner.peek() == '"') throw Error("the id must be a whole number from 0, got text");
      out.sentence = whole_number_of(scanner.number(), "the id");
    } else if (key_ == "hypothesis") {
      out.hypothesis = text_of(scanner, "hypothesis");
      out.has_hypothesis = true;
    } else if (key_ == "features") {
      if (features) throw Error("there are two objects \"features\"");
      features = true;
      find_features(scanner);
    } else if (key_ == "score" && scanner.peek() != 'n') {
      if (scanner.peek() == '"') throw Error("the score is a text and no number");
      out.score = scanner.number();
    } else if (key_ == "rest") {
      out.rest = text_of(scanner, "rest");
    } else if (key_ == "references") {
      out.references = scanner.skip();
    } else if (key_ == "source") {
      out.source = scanner.skip();
    } else {
      scanner.skip();
    }
    scanner.end_member();
  }
  scanner.end();
  if (out.sentence < 0) throw Error(std::string("there is no id") + expected);
  if (!out.has_hypothesis) throw Error(std::string("there is no hypothesis") + expected);
  return out;
}

std::string_view JsonListReader::text_of(JsonScanner& scanner, const char* what) {
  if (scanner.peek() != '"') throw Error(std::string("the ") + what + " is not text" + expected);
  return scanner.string(rooms_.emplace_back());
}

void JsonListReader::find_features(JsonScanner& scanner) {
  if (scanner.peek() != '{') throw Error(std::string("the features are not an object") + expected);
  scanner.members(name_, [&](std::string& name) {
    const char first = scanner.peek();
    if (first != '-' && !(first >= '0' && first <= '9'))
      throw Error("the value of " + quoted(name) + " is not a number");
    const TextValue value = value_of(scanner.number(), "the value");
    found_.emplace_back(rooms_.emplace_back(name), value);
  });
}

// A name that is new must be one that can be written, and come once.
void JsonListReader::check_names() {
  bool any = false;
  for (const auto& [name, value] : found_) {
    if (lists_.features.find(name) != WordTable::none) continue;
    any = true;
    std::size_t words = 0, size = 0;
    for_each_word(name, [&](std::string_view word) {
      ++words;
      size = word.size();
    });
    if (words != 1 || size != name.size())
      throw Error("the feature name " + quoted(name) + " is empty or holds white space");
  }
  if (!any) return;
  sorted_.clear();
  for (const auto& [name, value] : found_) sorted_.push_back(name);
  std::sort(sorted_.begin(), sorted_.end());
  if (const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end()); twice != sorted_.end())
    throw Error("the feature " + quoted(*twice) + " has two values");
}

}  // namespace tunesmith
