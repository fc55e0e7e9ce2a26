// Whether bytes are UTF-8 text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tunesmith {

// True for well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF) without NUL.
inline bool is_utf8_text(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101u, high_bits = 0x8080808080808080u;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size()) {  // eight ASCII characters at once, none of them NUL
      std::uint64_t bytes;
      std::memcpy(&bytes, text.data() + at, 8);
      if (((bytes | (bytes - ones)) & high_bits) == 0) {
        at += 8;
        continue;
      }
    }
    const unsigned char first = byte(at);
    if (first == 0) return false;
    std::size_t more = 0;
    unsigned char low = 0x80, high = 0xBF;  // what the second byte may be
    if (first < 0x80) {
      ++at;
      continue;
    }
    if (first >= 0xC2 && first <= 0xDF) more = 1;
    if (first >= 0xE0 && first <= 0xEF) more = 2;
    if (first >= 0xF0 && first <= 0xF4) more = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
    if (more == 0 || text.size() - at <= more) return false;
    if (byte(at + 1) < low || byte(at + 1) > high) return false;
    for (std::size_t i = 2; i <= more; ++i)
      if (byte(at + i) < 0x80 || byte(at + i) > 0xBF) return false;
    at += more + 1;
  }
  return true;
}

}  // namespace tunesmith
