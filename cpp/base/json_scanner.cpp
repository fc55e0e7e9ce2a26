#include "base/json_scanner.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace tunesmith {
namespace {

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(first[more] | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
}

// Where the next quote, backslash or control character stands, from `at` on; at most text.size(). Eight bytes are
// tested at once: (b - n) & ~b has its high bit set for a byte b < n <= 0x80, and perhaps for bytes above such a
// one.
std::size_t skip_plain(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + 8 <= text.size(); at += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, text.data() + at, 8);
      const std::uint64_t quote = bytes ^ (ones * '"'), backslash = bytes ^ (ones * '\\');
      const std::uint64_t found =
          (((bytes - ones * 0x20) & ~bytes) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) &
          high;
      if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' && static_cast<unsigned char>(text[at]) >= 0x20)
    ++at;
  return at;
}

}  // namespace

std::string_view JsonScanner::string(std::string& room) {
  expect('"');
  const std::size_t begin = at_;
  bool escaped = false;
  while (true) {
    const std::size_t from = at_;
    at_ = skip_plain(text_, at_);
    if (escaped) room.append(text_.substr(from, at_ - from));
    if (at_ >= text_.size() || text_[at_] == '"') break;
    if (text_[at_] != '\\') fail("a control character inside a string");
    if (!escaped) room.assign(text_.substr(begin, at_ - begin));
    escaped = true;
    escape(room);
    ++at_;
  }
  if (at_ >= text_.size()) fail("a string does not end");
  const std::string_view plain = text_.substr(begin, at_ - begin);
  ++at_;
  return escaped ? std::string_view(room) : plain;
}

// Leaves at_ on the last character of the escape.
void JsonScanner::escape(std::string& room) {
  if (++at_ >= text_.size()) fail("a string does not end");
  constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (const std::size_t known = names.find(text_[at_]); known != std::string_view::npos) {
    room += meant[known];
    return;
  }
  if (text_[at_] != 'u') fail("an unknown escape");
  unsigned code = hexadecimal();
  if (code == 0) fail("the character NUL");
  if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
    at_ += 2;
    const unsigned low = hexadecimal();
    if (low < 0xDC00 || low > 0xDFFF) fail("half a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xD800 && code < 0xE000) {
    fail("half a surrogate pair");
  }
  append_utf8(room, code);
}

// The four digits after at_, which ends on the last of them.
unsigned JsonScanner::hexadecimal() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const char digit = ++at_ < text_.size() ? text_[at_] : '\0';
    const char lower = static_cast<char>(digit | 0x20);
    if (is_digit(digit))
      code = 16 * code + static_cast<unsigned>(digit - '0');
    else if (lower >= 'a' && lower <= 'f')
      code = 16 * code + static_cast<unsigned>(lower - 'a' + 10);
    else
      fail("an unknown escape");
  }
  return code;
}

std::string_view JsonScanner::number() {
  blanks();
  const std::size_t begin = at_;
  const auto here = [&] { return at_ < text_.size() ? text_[at_] : '\0'; };
  const auto digits = [&] {
    if (!is_digit(here())) fail("a malformed number");
    while (is_digit(here())) ++at_;
  };
  if (here() == '-') ++at_;
  if (here() == '0')
    ++at_;
  else
    digits();
  if (here() == '.') {
    ++at_;
    digits();
  }
  if (here() == 'e' || here() == 'E') {
    ++at_;
    if (here() == '+' || here() == '-') ++at_;
    digits();
  }
  return text_.substr(begin, at_ - begin);
}

void JsonScanner::literal(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) fail("an unknown value");
  at_ += word.size();
}

std::string_view JsonScanner::skip() {
  blanks();
  const std::size_t begin = at_;
  skip_value(0);
  return text_.substr(begin, at_ - begin);
}

void JsonScanner::skip_value(std::size_t depth) {
  if (depth > deepest) fail("values nested too deeply");
  std::string room;
  switch (peek()) {
    case '"':
      string(room);
      return;
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    case '[':
    case '{': {
      const bool object = text_[at_] == '{';
      const char end = object ? '}' : ']';
      ++at_;
      if (peek() == end) {
        ++at_;
        return;
      }
      while (true) {
        if (object) {
          if (peek() != '"') fail("a key is missing");
          string(room);
          expect(':');
        }
        skip_value(depth + 1);
        if (peek() == end) break;
        expect(',');
      }
      ++at_;
      return;
    }
    default:
      number();
  }
}

}  // namespace tunesmith
