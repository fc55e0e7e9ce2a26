#include "alignment/links.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/quoted.hpp"
#include "base/words.hpp"

namespace tunesmith {

namespace {

// Reads all of `text` as the position of a word: digits only, below longest_sentence.
bool read_position(std::string_view text, std::int32_t& position) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, position);
  return !text.empty() && text[0] != '-' && read.ec == std::errc{} && read.ptr == end &&
         position < longest_sentence;
}

}  // namespace

void Alignments::add(std::vector<Link> next) {
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  links.insert(links.end(), next.begin(), next.end());
  offsets.push_back(static_cast<std::int64_t>(links.size()));
}

Alignments parse_pharaoh(std::span<const std::string_view> lines) {
  Alignments alignments;
  std::vector<Link> links;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    links.clear();
    for_each_word(lines[i], [&](std::string_view text) {
      const auto dash = text.find('-');
      Link link{};
      if (dash == text.npos || !read_position(text.substr(0, dash), link.source) ||
          !read_position(text.substr(dash + 1), link.target)) {
        // Without a link before, this may be any file, and the message does not show what is in it.
        const bool is_first = links.empty() && alignments.links.empty();
        throw LineError(
            static_cast<std::int64_t>(i) + 1,
            (is_first ? "the first word" : quoted(text)) + " is not a link; expected source-target such as 0-2");
      }
      links.push_back(link);
    });
    alignments.add(links);
  }
  return alignments;
}

std::vector<std::string> format_pharaoh(const Alignments& alignments) {
  std::vector<std::string> lines(alignments.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const Link& link : alignments.of(i)) {
      if (!lines[i].empty()) lines[i] += ' ';
      lines[i] += std::to_string(link.source) + '-' + std::to_string(link.target);
    }
  return lines;
}

}  // namespace tunesmith
