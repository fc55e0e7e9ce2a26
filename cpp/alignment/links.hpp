// Word alignments of many sentence pairs, and their text form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tunesmith {

// No sentence is longer; a larger position is a mistake in the file.
inline constexpr std::int32_t longest_sentence = 1 << 14;

// Source word `source` and target word `target` translate each other; both count from 0.
struct Link {
  std::int32_t source, target;
  auto operator<=>(const Link&) const = default;
};

// Links of sentence pair i: links[offsets[i] .. offsets[i + 1]), sorted, none twice.
struct Alignments {
  std::vector<Link> links;
  std::vector<std::int64_t> offsets = {0};

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const Link> of(std::size_t pair) const {
    return {links.data() + offsets[pair], static_cast<std::size_t>(offsets[pair + 1] - offsets[pair])};
  }
  // Appends the links of the next pair; sorts them and removes repetitions.
  void add(std::vector<Link> next);
};

// Pharaoh format: links `source-target` separated by white space, one sentence pair a line.
// Throws LineError on anything else.
Alignments parse_pharaoh(std::span<const std::string_view> lines);

// One line per pair, links in order.
std::vector<std::string> format_pharaoh(const Alignments& alignments);

}  // namespace tunesmith
