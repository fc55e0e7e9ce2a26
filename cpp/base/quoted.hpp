// Text of a file, as messages show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tunesmith {

// The text in quotes, with … where it is cut (never inside of a character), and ? for control characters.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t enough = 60;
  std::size_t end = text.size();
  if (end > enough)
    for (end = enough; end > enough - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;) --end;
  std::string out("'");
  for (const char byte : text.substr(0, end))
    out += static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F ? '?' : byte;
  return out + (end < text.size() ? "…'" : "'");
}

}  // namespace tunesmith
