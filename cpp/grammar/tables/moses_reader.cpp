#include "grammar/tables/moses_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "base/quoted.hpp"
#include "base/words.hpp"
#include "grammar/tables/moses_syntax.hpp"

namespace tunesmith {
namespace {

using moses::bar, moses::in_brackets;

constexpr std::size_t source_field = 0, target_field = 1, score_field = 2, link_field = 3, count_field = 4,
                      most_fields = 7;

// [X] → X; nothing for any other word.
std::string_view single_label(std::string_view word) {
  if (!in_brackets(word)) return {};
  const std::string_view inside = word.substr(1, word.size() - 2);
  return inside.find_first_of("[]") == std::string_view::npos ? inside : std::string_view{};
}

// A gap such as [X][X]: the labels of both sides.
bool is_gap_word(std::string_view word, std::string_view& left, std::string_view& right) {
  if (!in_brackets(word)) return false;
  const std::size_t middle = word.find("][");
  if (middle == std::string_view::npos) return false;
  left = word.substr(1, middle - 1);
  right = word.substr(middle + 2, word.size() - middle - 3);
  return true;
}

// Whether a number that no double can hold is too small rather than too large.
bool is_below_one(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) return text.substr(exponent + 1).starts_with('-');
  return text.starts_with("0.") || text.starts_with('.');
}

bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range && is_below_one(text)) {
    value = 0;  // too small for a double
    return true;
  }
  return error == std::errc{} && std::isfinite(value);
}

}  // namespace

void MosesReader::add(std::span<const std::string_view> lines) {
  if (closed_) throw Error("nothing can be read after a line that is wrong, or after writing");
  closed_ = true;
  for (const std::string_view line : lines) {
    add_line(line);
    ++lines_;
  }
  closed_ = false;
}

void MosesReader::add_line(std::string_view line) {
  fields_.resize(most_fields);
  for (Field& field : fields_) field.words.clear();
  std::size_t count = 0;
  bool any = false;
  for_each_word(line, [&](std::string_view word) {
    any = true;
    if (word == bar)
      ++count;
    else if (count < most_fields)
      fields_[count].words.push_back(word);
  });
  if (!any) fail("the line is empty; expected source ||| target ||| scores");
  if (count < score_field)
    fail("there are " + std::to_string(count + 1) +
         " fields; expected source ||| target ||| scores ||| alignment ||| counts");
  if (count >= most_fields)
    fail("there are " + std::to_string(count + 1) + " fields; there may be at most " +
         std::to_string(most_fields));
  if (lines_ > std::numeric_limits<std::uint32_t>::max() - 1) fail("more than 4294967295 lines");

  Rule rule{};
  rule.line = static_cast<std::uint32_t>(lines_);
  rule.symbols = symbols_.size();
  rule.links = links_.size();
  add_side(fields_[source_field].words, "source", source_);
  rule.source_size = static_cast<std::uint8_t>(symbols_.size() - rule.symbols);
  add_side(fields_[target_field].words, "target", target_);
  rule.target_size = static_cast<std::uint8_t>(symbols_.size() - rule.symbols - rule.source_size);
  add_scores(fields_[score_field].words);
  add_links(fields_[link_field].words, rule);
  rule.link_count = narrow<std::uint16_t>(links_.size() - rule.links);
  add_counts(fields_[count_field].words);
  if (!fields_[5].words.empty() || !fields_[6].words.empty()) ++dropped_;
  rules_.push_back(rule);
}

void MosesReader::add_side(std::vector<std::string_view>& words, const char* side, WordCounter& table) {
  const std::string name(side);
  if (hiero_) {
    if (words.empty()) fail("the " + name + " side is empty");
    const std::string_view label = single_label(words.back());
    if (label.empty())
      fail("the " + name + " side ends with " + quoted(words.back()) +
           "; it must end with the label of the rule, such as [X]");
    if (label_.empty()) label_ = label;
    if (label != label_)
      fail("the label [" + std::string(label) + "] is not [" + label_ +
           "]; rules with one label are read, the glue grammar apart");
    words.pop_back();
  }
  if (words.empty()) fail("the " + name + " side is empty");
  if (words.size() > static_cast<std::size_t>(longest_side))
    fail("the " + name + " side has " + std::to_string(words.size()) + " symbols; at most " +
         std::to_string(longest_side) + " can be read");
  int gaps = 0;
  for (const std::string_view word : words) {
    std::string_view left, right;
    if (hiero_ && is_gap_word(word, left, right)) {
      if (left != label_ || right != label_)
        fail("the gap " + quoted(word) + " does not have the label [" + label_ + "] on both sides");
      if (++gaps > 2) fail("the " + name + " side has more than two gaps");
      symbols_.push_back(-gaps);
    } else if (hiero_ && in_brackets(word)) {
      fail(quoted(word) + " is neither a word nor a gap such as [" + label_ + "][" + label_ +
           "]; brackets in words are written &#91; &#93;");
    } else {
      symbols_.push_back(table.add(word));
    }
  }
}

void MosesReader::add_scores(const std::vector<std::string_view>& words) {
  if (words.empty()) fail("there are no scores");
  if (rules_.empty()) score_count_ = words.size();
  if (words.size() != score_count_)
    fail("there are " + std::to_string(words.size()) + " scores, the first line has " +
         std::to_string(score_count_));
  for (const std::string_view word : words) {
    double value = 0;
    if (!parse_number(word, value)) fail("the score " + quoted(word) + " is not a number");
    if (value < 0)
      fail("the score " + quoted(word) + " is negative; scores must be probabilities, not their logarithms");
    auto small = static_cast<float>(value);
    if (!std::isfinite(small)) fail("the score " + quoted(word) + " is too large");
    // Like stored_score, but also for numbers that are too small for a double.
    if (small == 0 && word.find_first_of("123456789") < word.find_first_of("eE"))
      small = std::numeric_limits<float>::denorm_min();
    scores_.push_back(small);
  }
}

void MosesReader::add_links(const std::vector<std::string_view>& words, Rule& rule) {
  const std::size_t source_size = rule.source_size, target_size = rule.target_size;
  Symbol* const source = symbols_.data() + rule.symbols;
  Symbol* const target = source + source_size;
  bool linked[2] = {false, false};
  Symbol numbered[longest_side + 1] = {};  // of target gaps
  for (const std::string_view word : words) {
    std::size_t s = 0, t = 0;
    const char* const end = word.data() + word.size();
    const auto first = std::from_chars(word.data(), end, s);
    const bool dash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '-';
    const auto second = dash ? std::from_chars(first.ptr + 1, end, t) : first;
    if (!dash || second.ec != std::errc{} || second.ptr != end)
      fail(quoted(word) + " is not a link; expected source-target such as 0-2");
    if (s >= source_size || t >= target_size)
      fail("link " + std::string(word) + " points outside the rule, which has " + std::to_string(source_size) +
           " and " + std::to_string(target_size) + " symbols");
    if (is_gap(source[s]) != is_gap(target[t])) fail("link " + std::string(word) + " joins a gap and a word");
    if (!is_gap(source[s])) {
      links_.push_back({static_cast<std::uint8_t>(s), static_cast<std::uint8_t>(t)});
      continue;
    }
    const auto gap = static_cast<std::size_t>(-1 - source[s]);
    if (linked[gap] || numbered[t] != 0) fail("link " + std::string(word) + ": the gap is linked twice");
    linked[gap] = true;
    numbered[t] = source[s];
  }
  const auto begin = links_.begin() + static_cast<std::ptrdiff_t>(rule.links);
  std::sort(begin, links_.end());
  if (std::adjacent_find(begin, links_.end()) != links_.end()) fail("the same link stands there twice");
  const auto gaps = [](const Symbol* at, std::size_t size) { return std::count_if(at, at + size, is_gap); };
  const auto of_source = gaps(source, source_size), of_target = gaps(target, target_size);
  gaps_ += of_source > 0;
  if (of_source != of_target)
    fail("the source side has " + std::to_string(of_source) + " gaps, the target side " +
         std::to_string(of_target));
  for (std::size_t t = 0; t < target_size; ++t) {
    if (!is_gap(target[t])) continue;
    if (numbered[t] == 0)
      fail("the gap at position " + std::to_string(t) + " of the target side is linked to none");
    target[t] = numbered[t];
  }
}

void MosesReader::add_counts(const std::vector<std::string_view>& words) {
  if (rules_.empty()) count_fields_ = words.size();
  if (words.size() > 3)
    fail("there are " + std::to_string(words.size()) + " counts; expected those of target, source and both");
  if (words.size() != count_fields_)
    fail("there are " + std::to_string(words.size()) + " counts, the first line has " +
         std::to_string(count_fields_));
  for (std::size_t i = 0; i < 3; ++i) {
    double value = 0;
    if (i < words.size() && (!parse_number(words[i], value) || value < 0))
      fail("the count " + quoted(words[i]) + " is not a number from 0");
    counts_.push_back(value);
  }
}

}  // namespace tunesmith
