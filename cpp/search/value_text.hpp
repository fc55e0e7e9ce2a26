// Feature values as text.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/quoted.hpp"

namespace tunesmith {

// The shortest text that is read as this value again.
template <class Value>
void append_value(std::string& out, Value value) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  out.append(text, result.ptr);
}

struct TextValue {
  double value = 0;
  bool narrow = true;  // float says the same: its shortest text is this number
};

// Whether the shortest text of the value as a float is this number.
inline bool is_narrow(double value) {
  if (std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max())) return false;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, static_cast<float>(value));
  double again = 0;
  std::from_chars(text, written.ptr, again);
  return again == value;
}

// A decimal number; false for anything else, for NaN and infinity.
inline bool parse_value(std::string_view text, TextValue& out) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+' && end - begin > 1 && begin[1] != '-') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, out.value);
  if (stop != end || begin == end) return false;
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    if (exponent == std::string_view::npos || exponent + 1 >= text.size() || text[exponent + 1] != '-')
      return false;
    out.value = 0;  // too small for a double
  } else if (error != std::errc{} || !std::isfinite(out.value)) {
    return false;
  }
  // Six digits always come back from a float in its normal range.
  std::size_t digits = 0;
  for (const char* at = begin; at != end && *at != 'e' && *at != 'E'; ++at)
    digits += *at >= '0' && *at <= '9' && (digits > 0 || *at != '0');
  const double size = std::fabs(out.value);
  out.narrow = size == 0 || (digits <= 6 && size > 1e-30 && size < 1e30);
  if (!out.narrow) out.narrow = is_narrow(out.value);
  return true;
}

inline TextValue value_of(std::string_view text, const char* what) {
  TextValue value;
  if (!parse_value(text, value)) throw Error(std::string(what) + " " + quoted(text) + " is not a finite number");
  return value;
}

// A number that was computed from values.
inline TextValue number_value(double value, const char* what) {
  if (!std::isfinite(value)) throw Error(std::string(what) + " is not a finite number");
  return {value, is_narrow(value)};
}

// Without the blanks and tabulators around it.
inline std::string_view trimmed(std::string_view field) {
  const std::size_t begin = field.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return field.substr(begin, field.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace tunesmith
