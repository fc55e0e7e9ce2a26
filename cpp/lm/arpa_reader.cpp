#include "lm/arpa_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/quoted.hpp"
#include "base/utf8.hpp"

namespace tunesmith::lm {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
// A file without line ends is no ARPA file, however long: only this much of it is examined.
constexpr std::size_t longest_line = std::size_t{1} << 20, longest_before = std::size_t{1} << 14;
constexpr std::uint64_t most_ngrams = std::uint64_t{1} << 40;

std::string heading(int order) {
  std::string text("\\");
  text += std::to_string(order);
  return text += "-grams:";
}

bool is_blank(char byte) {
  return byte == ' ' || byte == '\t';
}

std::string_view stripped(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

void ArpaReader::fail(const std::string& message) const {
  throw LineError(line_, message);
}

void ArpaReader::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      // No more than it takes to see that the line is too long.
      unfinished_ += bytes.substr(0, longest_line + 1);
      check_length(unfinished_);
      return;
    }
    if (unfinished_.empty()) {
      read_line(bytes.substr(0, end));
    } else {
      unfinished_ += bytes.substr(0, std::min(end, longest_line + 1));
      const std::string line = std::move(unfinished_);
      unfinished_.clear();
      read_line(line);
    }
    bytes.remove_prefix(end + 1);
  }
}

void ArpaReader::check_length(std::string_view line) {
  if (line.size() <= (part_ == Part::before ? longest_before : longest_line)) return;
  ++line_;
  if (part_ == Part::before) read_before(line);  // knows the files of others
  fail("a line of more than " + std::to_string(longest_line) + " bytes: " + quoted(line));
}

std::shared_ptr<const Image> ArpaReader::finish() {
  if (!unfinished_.empty()) {
    const std::string line = std::move(unfinished_);
    unfinished_.clear();
    read_line(line);
  }
  if (part_ == Part::after) return builder_->finish();
  ++line_;
  if (part_ == Part::before) fail("the file ends before \\data\\; expected an ARPA file");
  fail("the file ends without \\end\\; was it cut off?");
}

void ArpaReader::read_line(std::string_view line) {
  check_length(line);
  if (++line_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line = stripped(line);
  switch (part_) {
    case Part::before:
      return read_before(line);
    case Part::counts:
      if (line.empty()) return;
      if (line.front() == '\\') return read_section(line);
      return read_count(line);
    case Part::ngrams:
      if (line.empty()) return end_section();
      if (line.front() == '\\' && (!in_section_ || read_ == counts_[static_cast<std::size_t>(section_ - 1)]))
        return read_section(line);
      return read_ngram(line);
    case Part::after:
      if (!line.empty()) fail("text after \\end\\: " + quoted(line));
  }
}

void ArpaReader::read_before(std::string_view line) {
  if (line.empty()) return;
  if (line.starts_with("mmap lm "))
    fail("this is a binary file of KenLM, which only KenLM can read; use the ARPA file it was made from");
  if (line.starts_with("iARPA"))
    fail("this is an intermediate file of IRSTLM; make an ARPA file of it with: compile-lm --text yes");
  if (line != "\\data\\") fail("expected \\data\\, with which an ARPA file begins");
  part_ = Part::counts;
}

void ArpaReader::read_count(std::string_view line) {
  const auto bad = [&] { fail("expected 'ngram ORDER=COUNT', got " + quoted(line)); };
  const std::size_t equals = line.find('=');
  if (!line.starts_with("ngram") || line.size() < 6 || !is_blank(line[5]) || equals == std::string_view::npos)
    bad();
  const auto number = [&](std::string_view text) {
    std::uint64_t value = 0;
    text = stripped(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) bad();
    return value;
  };
  const std::uint64_t order = number(line.substr(6, equals - 6)), count = number(line.substr(equals + 1));
  if (order != counts_.size() + 1)
    fail("expected the count of order " + std::to_string(counts_.size() + 1) + ", got that of order " +
         std::to_string(order));
  if (order > static_cast<std::uint64_t>(max_order))
    fail("order " + std::to_string(order) + " is too high; models up to order " + std::to_string(max_order) +
         " can be used");
  if (count > most_ngrams)
    fail(std::to_string(count) + " n-grams of order " + std::to_string(order) + " cannot be");
  counts_.push_back(count);
}

void ArpaReader::read_section(std::string_view line) {
  if (in_section_) end_section();
  if (counts_.empty()) fail("expected 'ngram 1=COUNT' after \\data\\, got " + quoted(line));
  const bool is_last = section_ == static_cast<int>(counts_.size());
  const std::string expected = is_last ? "\\end\\" : heading(section_ + 1);
  if (line != expected) fail("expected " + expected + ", got " + quoted(line));
  if (is_last) {
    part_ = Part::after;
    return;
  }
  if (!builder_) builder_.emplace(static_cast<int>(counts_.size()));
  part_ = Part::ngrams;
  ++section_;
  in_section_ = true;
  read_ = 0;
  builder_->expect(section_, counts_[static_cast<std::size_t>(section_ - 1)]);
}

// Called at a blank line, or at the next heading.
void ArpaReader::end_section() {
  if (!in_section_) return;
  const std::uint64_t announced = counts_[static_cast<std::size_t>(section_ - 1)];
  if (read_ != announced) {
    if (read_ == 0) return;  // a blank line right after the heading
    fail(heading(section_) + " ends after " + std::to_string(read_) + " n-grams, but \\data\\ says " +
         std::to_string(announced));
  }
  in_section_ = false;
  if (section_ != 1) return;
  try {
    if (!builder_->end_words())
      notes_.push_back("there is no <unk>; unknown words get the log10 probability -100");
  } catch (const Error& error) {
    fail(error.what());
  }
}

float ArpaReader::read_number(std::string_view text, const char* what) const {
  float value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || begin == end || !std::isfinite(value))
    fail(std::string("the ") + what + " " + quoted(text) + " is not a finite number");
  return value;
}

std::uint32_t ArpaReader::read_word(std::string_view text) const {
  const WordId id = builder_->find(text);
  if (id == WordTable::none) fail("the word " + quoted(text) + " is not among the unigrams");
  return static_cast<std::uint32_t>(id);
}

void ArpaReader::read_ngram(std::string_view line) {
  const auto order = static_cast<std::size_t>(section_);
  if (!in_section_) fail("expected a heading, got " + quoted(line));
  if (line.front() == '\\' && line.find_first_of(" \t") == std::string_view::npos) {
    fail(heading(section_) + " ends after " + std::to_string(read_) + " n-grams, but \\data\\ says " +
         std::to_string(counts_[order - 1]));
  }
  std::string_view fields[max_order + 2];
  std::size_t size = 0;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (size == order + 2) {
      size = 0;  // too many
      break;
    }
    fields[size++] = line.substr(at, end - at);
    for (at = end; at < line.size() && is_blank(line[at]);) ++at;
  }
  if (size != order + 1 && size != order + 2)
    fail("expected a log-probability, " + std::to_string(order) + (order == 1 ? " word" : " words") +
         " and perhaps a back-off, got " + quoted(line));
  if (read_ == counts_[order - 1])
    fail("more than the " + std::to_string(read_) + " " + std::to_string(order) +
         "-grams that \\data\\ announces");
  const float probability = read_number(fields[0], "log-probability");
  if (probability > 0)
    fail("the log-probability " + quoted(fields[0]) + " is positive; log10 of a probability is 0 at most");
  const float backoff = size == order + 2 ? read_number(fields[order + 1], "back-off") : 0.0f;
  if (order == counts_.size() && backoff != 0) fail("a back-off in the highest order, where it has no meaning");
  ++read_;
  try {
    if (order == 1) {
      if (!is_utf8_text(fields[1])) fail("the word " + quoted(fields[1]) + " is not UTF-8 text");
      builder_->add_word(fields[1], probability, backoff);
      return;
    }
    std::uint32_t words[max_order];
    for (std::size_t i = 0; i < order; ++i) words[i] = read_word(fields[i + 1]);
    builder_->add_ngram(section_, words, probability, backoff);
  } catch (const LineError&) {
    throw;
  } catch (const Error& error) {
    fail(error.what() + std::string(": ") + quoted(line));
  }
}

}  // namespace tunesmith::lm
