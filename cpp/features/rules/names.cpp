#include "features/rules/names.hpp"

#include <algorithm>
#include <charconv>

namespace tunesmith {
namespace {

constexpr std::string_view gaps[] = {"[X,1]", "[X,2]"};
constexpr char digits[] = "0123456789ABCDEF";

bool is_escaped(char byte) {
  return byte == '%' || byte == '_' || byte == '|' || byte == '=';
}

void append_byte(char byte, std::string& out) {
  const auto value = static_cast<unsigned char>(byte);
  out += '%';
  out += digits[value >> 4];
  out += digits[value & 15];
}

}  // namespace

void append_word(std::string_view word, std::string& out) {
  if (word == gaps[0] || word == gaps[1]) {
    append_byte('[', out);
    out += word.substr(1);
  } else if (std::ranges::none_of(word, is_escaped)) {
    out += word;
  } else {
    for (const char byte : word)
      if (is_escaped(byte))
        append_byte(byte, out);
      else
        out += byte;
  }
}

void append_symbols(std::span<const Symbol> symbols, const Vocabulary& words, std::string& out) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (i != 0) out += '_';
    if (is_gap(symbols[i]))
      out += gaps[-1 - symbols[i]];
    else
      append_word(words.word(symbols[i]), out);
  }
}

std::optional<std::string> read_word(std::string_view text) {
  std::string word;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      word += text[at];
      continue;
    }
    unsigned value = 0;
    const char* end = text.data() + std::min(at + 3, text.size());
    if (std::from_chars(text.data() + at + 1, end, value, 16).ptr != text.data() + at + 3) return std::nullopt;
    word += static_cast<char>(value);
    at += 2;
  }
  std::string again;  // one spelling only, so that no two names mean the same
  append_word(word, again);
  if (again != text) return std::nullopt;
  return word;
}

bool read_symbols(std::string_view text, const Vocabulary& words, std::vector<Symbol>& out) {
  out.clear();
  if (text.empty()) return true;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = at;
    bool plain = true;
    for (; end < text.size() && text[end] != '_'; ++end) plain &= !is_escaped(text[end]);
    const std::string_view piece = text.substr(at, end - at);
    at = end + 1;
    if (piece == gaps[0] || piece == gaps[1]) {
      out.push_back(piece == gaps[0] ? first_gap : second_gap);
    } else if (plain) {
      const auto found = words.find(piece);
      if (!found) return false;
      out.push_back(*found);
    } else {
      const auto word = read_word(piece);
      const auto found = word ? words.find(*word) : std::nullopt;
      if (!found) return false;
      out.push_back(*found);
    }
  }
  return true;
}

}  // namespace tunesmith
