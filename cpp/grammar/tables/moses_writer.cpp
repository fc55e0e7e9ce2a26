#include "grammar/tables/moses_writer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/quoted.hpp"
#include "grammar/tables/moses_syntax.hpp"

namespace tunesmith {
namespace {

using moses::in_brackets;

void append_number(double value, std::string& out) {
  char text[40];
  out.append(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr);
}

void append_escaped(std::string_view word, std::string& out) {
  for (const char c : word) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '|':
        out += "&#124;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '[':
        out += "&#91;";
        break;
      case ']':
        out += "&#93;";
        break;
      default:
        out += c;
    }
}

template <class T>
std::span<const T> part(std::span<const T> values, std::span<const std::uint64_t> offsets, std::size_t at,
                        std::size_t width = 1) {
  const std::uint64_t begin = offsets[at] * width, end = offsets[at + 1] * width;
  if (begin > end || end > values.size()) throw Error("the table is damaged: an offset points outside its array");
  return values.subspan(begin, end - begin);
}

}  // namespace

std::string format_moses(const TableArrays& table, const Vocabulary& source, const Vocabulary& target,
                         const MosesStyle& style, std::size_t begin, std::size_t end) {
  const std::size_t rules = table.joint_counts.size();
  if (end >= table.source_offsets.size() || end >= table.source_rules.size() || end > table.source_counts.size() ||
      table.target_offsets.size() != rules + 1 || table.link_offsets.size() != rules + 1 ||
      table.target_counts.size() != rules || table.scores.size() != rules * style.scores)
    throw Error("the table is damaged: its arrays do not belong together");
  if (style.counts > 3 || style.label.empty() || style.label.find_first_of("[]| \t\n\r") != std::string::npos)
    throw Error("there are at most 3 counts, and a label is a word without brackets and bars");
  const std::string gap = "[" + style.label + "][" + style.label + "]";
  std::string out, side;
  const auto append = [&](std::span<const Symbol> symbols, const Vocabulary& words, std::string& to) {
    for (const Symbol symbol : symbols) {
      if (is_gap(symbol)) {
        if (symbol < second_gap || !style.hiero)
          throw Error("the table is damaged: " + std::to_string(symbol) + " is neither a word nor a gap");
        to += gap;
      } else {
        const std::string_view word = words.word(symbol);
        if (style.escape)
          append_escaped(word, to);
        else if (word.find('|') != std::string_view::npos || (style.hiero && in_brackets(word)))
          throw Error("the word " + quoted(word) + " would be read as something else; write it with --escape");
        else
          to += word;
      }
      to += ' ';
    }
    if (style.hiero) to += "[" + style.label + "] ";
  };
  std::vector<std::pair<int, int>> links;
  for (std::size_t i = begin; i < end; ++i) {
    const auto symbols = part(table.source_symbols, table.source_offsets, i);
    side.clear();
    append(symbols, source, side);
    const std::uint64_t last = table.source_rules[i + 1];
    if (last > rules || table.source_rules[i] > last) throw Error("the table is damaged: source_rules");
    for (std::uint64_t rule = table.source_rules[i]; rule < last; ++rule) {
      const auto words = part(table.target_symbols, table.target_offsets, rule);
      const auto positions = part(table.links, table.link_offsets, rule, 2);
      out += side;
      out += "||| ";
      append(words, target, out);
      out += "|||";
      for (std::size_t k = 0; k < style.scores; ++k) {
        out += ' ';
        append_number(table.scores[rule * style.scores + k], out);
      }
      out += " |||";
      links.clear();
      for (std::size_t k = 0; k + 1 < positions.size(); k += 2) links.emplace_back(positions[k], positions[k + 1]);
      for (std::size_t s = 0; s < symbols.size(); ++s)
        for (std::size_t t = 0; is_gap(symbols[s]) && t < words.size(); ++t)
          if (symbols[s] == words[t]) links.emplace_back(s, t);
      // Moses' own tables have the links of phrases in the order of the target side, of rules in that of the
      // source.
      std::sort(links.begin(), links.end(), [&](const auto& a, const auto& b) {
        return style.hiero ? a < b : std::pair(a.second, a.first) < std::pair(b.second, b.first);
      });
      for (const auto& [s, t] : links) out += ' ' + std::to_string(s) + '-' + std::to_string(t);
      out += " |||";
      const double counts[] = {table.target_counts[rule], table.source_counts[i], table.joint_counts[rule]};
      for (std::size_t k = 0; k < std::min<std::size_t>(style.counts, 3); ++k) {
        out += ' ';
        append_number(counts[k], out);
      }
      out += " ||| |||\n";
    }
  }
  return out;
}

}  // namespace tunesmith
