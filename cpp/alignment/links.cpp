#include "alignment/links.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/words.hpp"

namespace tunesmith {

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
      Link link{};
      const char* const end = text.data() + text.size();
      const auto source = std::from_chars(text.data(), end, link.source);
      const bool dash = source.ec == std::errc{} && source.ptr != end && *source.ptr == '-';
      const auto target = dash ? std::from_chars(source.ptr + 1, end, link.target) : source;
      if (!dash || target.ec != std::errc{} || target.ptr != end || link.source < 0 || link.target < 0)
        throw LineError(static_cast<std::int64_t>(i) + 1,
                        "'" + std::string(text) + "' is not a link; source-target such as 0-2 was expected");
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
