// Splitting a line into words exactly as Python's str.split() does: at runs of Unicode white space.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// What a byte may begin: 0 a character that is never white space, 1 an ASCII white space, 2 possibly a longer one.
inline constexpr auto space_class = [] {
  std::array<unsigned char, 256> table{};
  for (const int byte : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20}) table[byte] = 1;
  for (const int byte : {0xC2, 0xE1, 0xE2, 0xE3}) table[byte] = 2;
  return table;
}();

// Where the next byte stands, from `at` on, that is not a printing ASCII character; at most text.size().
// Eight bytes are tested at once: b + 0x5F has its high bit set for 0x21 <= b < 0x80.
inline std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t low = 0x7F7F7F7F7F7F7F7Fu, shift = 0x5F5F5F5F5F5F5F5Fu, high = 0x8080808080808080u;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, text.data() + at, 8);
      const std::uint64_t other = (~((bytes & low) + shift) | bytes) & high;
      if (other != 0) return at + static_cast<std::size_t>(std::countr_zero(other)) / 8;
    }
  }
  while (at < text.size() && text[at] > 0x20 && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// Calls `visit(word)` for every word of `text`, left to right.
template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  const auto kind = [&](std::size_t at) { return space_class[static_cast<unsigned char>(text[at])]; };
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && kind(at) != 0) {
      const std::size_t space = space_at(text, at);
      if (space == 0) break;
      at += space;
    }
    if (at >= text.size()) return;
    const std::size_t begin = at++;
    for (at = skip_ascii(text, at); at < text.size(); at = skip_ascii(text, at + 1))
      if (kind(at) == 1 || (kind(at) == 2 && space_at(text, at) != 0)) break;
    visit(text.substr(begin, at - begin));
  }
}

}  // namespace tunesmith
