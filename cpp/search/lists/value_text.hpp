// Feature values as text.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

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

// A short number without exponent, as most are: both the digits and the power of ten are exact as doubles, so that
// their quotient is the nearest double (Clinger 1990). `digits` counts from the first that is not 0. False for
// others.
inline bool parse_short(std::string_view text, double& value, int& digits) {
  constexpr int most_digits = 15, most_places = 22;
  static constexpr double powers[most_places + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.back() == '.') return false;
  std::uint64_t whole = 0;
  int places = 0;
  bool point = false;
  digits = 0;
  for (const char letter : text) {
    if (letter == '.' && !point) {
      point = true;
      continue;
    }
    const auto digit = static_cast<unsigned>(letter - '0');
    if (digit > 9) return false;
    whole = 10 * whole + digit;
    digits += whole != 0;
    places += point;
    if (digits > most_digits) return false;
  }
  if (places > most_places) return false;
  value = static_cast<double>(whole) / powers[places];
  if (negative) value = -value;
  return true;
}

// A decimal number; false for anything else, for NaN and infinity.
inline bool parse_value(std::string_view text, TextValue& out) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int digits = 0;
  if (!parse_short(text, out.value, digits)) {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const auto [stop, error] = std::from_chars(begin, end, out.value);
    if (stop != end || begin == end) return false;
    if (error == std::errc::result_out_of_range) {
      if (std::isinf(std::strtod(std::string(text).c_str(), nullptr))) return false;
      out.value = 0;  // too small for a double
    } else if (error != std::errc{} || !std::isfinite(out.value)) {
      return false;
    }
    digits = 0;
    for (const char* at = begin; at != end && *at != 'e' && *at != 'E'; ++at)
      digits += *at >= '0' && *at <= '9' && (digits > 0 || *at != '0');
  }
  // Six digits always come back from a float in its normal range.
  const double size = std::fabs(out.value);
  out.narrow = size == 0 || (digits <= 6 && size > 1e-30 && size < 1e30) || is_narrow(out.value);
  return true;
}

inline TextValue value_of(std::string_view text, const char* what) {
  TextValue value;
  if (!parse_value(text, value)) throw Error(std::string(what) + " " + quoted(text) + " is not a finite number");
  return value;
}

// A whole number from 0, as of sentences and candidates.
template <class Number = std::int64_t>
Number whole_number_of(std::string_view text, const char* what) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || error != std::errc{} || std::cmp_less(number, 0))
    throw Error(std::string(what) + " " + quoted(text) + " is not a whole number from 0");
  return number;
}

// A number that was computed from values.
inline TextValue number_value(double value, const char* what) {
  if (!std::isfinite(value)) throw Error(std::string(what) + " is not a finite number");
  return {value, is_narrow(value)};
}

// The field without the blanks and tabulators around it.
inline std::string_view trimmed(std::string_view field) {
  const std::size_t begin = field.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return field.substr(begin, field.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace tunesmith
