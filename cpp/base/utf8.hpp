// Whether bytes are UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunesmith {

// True for well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF) without NUL.
inline bool is_utf8_text(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t at = 0; at < text.size();) {
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
