#include "features/weight_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.hpp"
#include "base/quoted.hpp"
#include "base/utf8.hpp"

namespace tunesmith {
namespace {

constexpr const char* not_text = "the line is not UTF-8 text";

struct Line {
  std::int64_t number;
  std::string_view name;
  double value;
};

// Where no line before was one of weights, this may be any file, and messages do not show what is in it.
Line read_line(std::string_view line, std::int64_t line_number, bool is_first) {
  if (!is_utf8_text(line)) throw LineError(line_number, not_text);
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos)
    throw LineError(line_number, is_first ? "this is not a file of weights; expected name<TAB>weight"
                                          : "expected name<TAB>weight, got " + quoted(line));
  const std::string_view number = line.substr(tab + 1);
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size())
    throw LineError(line_number, is_first ? "the weight is not a number; expected name<TAB>weight"
                                          : "the weight " + quoted(number) + " is not a number");
  return {line_number, line.substr(0, tab), value};
}

}  // namespace

WeightTable WeightTable::parse(std::string_view text) {
  WeightTable table;
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  table.names_.reserve(lines, text.size());
  table.values_.reserve(lines);
  // Lines are added some at a time, so that the places of their names in the table are on their way from memory
  // while the next lines are read.
  constexpr std::size_t together = 32;
  std::vector<Line> pending;
  const auto add_pending = [&] {
    for (const Line& line : pending) {
      try {
        table.add(line.name, line.value);
      } catch (const Error& error) {
        throw LineError(line.number, error.what());
      }
    }
    pending.clear();
  };
  std::int64_t line_number = 0;
  bool header = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const bool is_header = header && line.front() == '#' && line.find('\t') == std::string_view::npos;
    header = is_header;
    if (is_header) {
      if (!is_utf8_text(line)) throw LineError(line_number, not_text);
      line.remove_prefix(line.starts_with("# ") ? 2 : 1);
      if (!table.header_.empty()) table.header_ += '\n';
      table.header_ += line;
      continue;
    }
    try {
      pending.push_back(read_line(line, line_number, pending.empty() && table.values_.empty()));
    } catch (const LineError&) {
      add_pending();  // what is wrong in a line above comes first
      throw;
    }
    table.names_.prefetch(pending.back().name);
    if (pending.size() == together) add_pending();
  }
  add_pending();
  return table;
}

void WeightTable::add(std::string_view name, double value) {
  if (name.empty()) throw Error("the name of a weight is empty");
  const auto unwritable = [](char byte) { return byte == '\t' || byte == '\n' || byte == '\r' || byte == '\0'; };
  if (std::ranges::any_of(name, unwritable))
    throw Error("the name of a weight holds a tab, a line end or NUL: " + quoted(name));
  if (!std::isfinite(value)) throw Error("the weight of " + quoted(name) + " is not finite");
  const std::size_t before = names_.size();
  names_.add(name);
  if (names_.size() == before) throw Error("the name " + quoted(name) + " comes twice");
  values_.push_back(value);
}

std::string WeightTable::format() const {
  std::string out;
  char number[32];
  for (std::size_t i = 0; i < size(); ++i) {
    out += name(i);
    out += '\t';
    out.append(number, std::to_chars(number, number + sizeof number, values_[i]).ptr);
    out += '\n';
  }
  return out;
}

}  // namespace tunesmith
