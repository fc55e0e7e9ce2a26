// Splitting a line into words exactly as Python's str.split() does: at runs of Unicode white space.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunesmith {

// Length in bytes of the white-space character at `text[at]`, or 0 if there is none. `text` is valid UTF-8.
// The set is that of Python's str.isspace(): U+0009–000D, 001C–0020, 0085, 00A0, 1680, 2000–200A, 2028, 2029,
// 202F, 205F, 3000.
inline std::size_t space_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned char {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned char first = byte(at);
  if (first <= 0x20) return (first == 0x20 || (first >= 0x09 && first <= 0x0D) || first >= 0x1C) ? 1 : 0;
  if (first < 0xC2 || first > 0xE3) return 0;
  const unsigned char second = byte(at + 1), third = byte(at + 2);
  if (first == 0xC2) return (second == 0x85 || second == 0xA0) ? 2 : 0;
  if (first == 0xE1) return (second == 0x9A && third == 0x80) ? 3 : 0;
  if (first == 0xE2 && second == 0x80)
    return ((third >= 0x80 && third <= 0x8A) || third == 0xA8 || third == 0xA9 || third == 0xAF) ? 3 : 0;
  if (first == 0xE2 && second == 0x81) return third == 0x9F ? 3 : 0;
  if (first == 0xE3) return (second == 0x80 && third == 0x80) ? 3 : 0;
  return 0;
}

// Calls `visit(word)` for every word of `text`, left to right.
template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (const std::size_t space = space_at(text, at)) {
      at += space;
      continue;
    }
    const std::size_t begin = at;
    // A byte above 0x20 and below 0x80 is a character of its own and never white space: the common case.
    do ++at;
    while (at < text.size() &&
           ((static_cast<unsigned char>(text[at]) > 0x20 && static_cast<unsigned char>(text[at]) < 0x80) ||
            !space_at(text, at)));
    visit(text.substr(begin, at - begin));
  }
}

}  // namespace tunesmith
