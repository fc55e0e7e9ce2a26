#include "features/weight_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace tunesmith {
namespace {

std::string shown(std::string_view text) {
  return "'" + std::string(text.substr(0, 80)) + "'";
}

}  // namespace

WeightTable WeightTable::parse(std::string_view text) {
  WeightTable table;
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  table.names_.reserve(lines, text.size());
  table.values_.reserve(lines);
  std::int64_t line_number = 0;
  bool header = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!is_utf8_text(line)) throw LineError(line_number, "the line is not UTF-8 text");
    const std::size_t tab = line.find('\t');
    if (header && line.front() == '#' && tab == std::string_view::npos) {
      line.remove_prefix(line.starts_with("# ") ? 2 : 1);
      if (!table.header_.empty()) table.header_ += '\n';
      table.header_ += line;
      continue;
    }
    header = false;
    if (tab == std::string_view::npos)
      throw LineError(line_number, "name<TAB>weight was expected, not " + shown(line));
    const std::string_view number = line.substr(tab + 1);
    double value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size())
      throw LineError(line_number, "the weight " + shown(number) + " is not a number");
    try {
      table.add(line.substr(0, tab), value);
    } catch (const Error& error) {
      throw LineError(line_number, error.what());
    }
  }
  return table;
}

void WeightTable::add(std::string_view name, double value) {
  if (name.empty()) throw Error("the name of a weight is empty");
  if (name.find_first_of("\t\n\r") != std::string_view::npos || name.find('\0') != std::string_view::npos)
    throw Error("the name of a weight holds a tab, a line end or NUL: " + shown(name));
  if (!std::isfinite(value)) throw Error("the weight of " + shown(name) + " is not finite");
  const std::size_t before = names_.size();
  names_.add(name);
  if (names_.size() == before) throw Error("the name " + shown(name) + " comes twice");
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
