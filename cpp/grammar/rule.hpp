// Synchronous rules as numbers: what extraction yields, what a table holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alignment/links.hpp"
#include "base/error.hpp"
#include "base/narrow.hpp"
#include "corpus/word_table.hpp"

namespace tunesmith {

// A word (≥ 0, numbered by the vocabulary of its side) or a gap (-1 the first of the source side, -2 the second).
// A gap of the target side is filled with the translation of the source gap of the same number.
using Symbol = std::int32_t;

inline constexpr Symbol first_gap = -1, second_gap = -2;
inline constexpr bool is_gap(Symbol symbol) {
  return symbol < 0;
}

// The longest side of a rule, so that positions fit into a byte.
inline constexpr int longest_side = 255;

// A link between two words of a rule, by their positions among the symbols of each side.
struct RuleLink {
  std::uint8_t source, target;
  auto operator<=>(const RuleLink&) const = default;
};

// Links are ordered by source, then target position; gaps have none.
struct RuleView {
  std::span<const Symbol> source, target;
  std::span<const RuleLink> links;
};

// An aligned sentence pair; links are sorted, none twice, and lie inside the sentences.
struct AlignedPair {
  std::span<const WordId> source, target;
  std::span<const Link> links;
};

// The most rules that may share one count; four more bits of a record hold orientations.
inline constexpr std::uint32_t most_sharing = (1u << 28) - 1;

// Rules found in one sentence pair, one entry per occurrence, in flat arrays.
class Occurrences {
 public:
  // `shared_by`: the occurrence counts 1 / shared_by.
  struct Entry {
    std::uint32_t symbols, links;
    std::uint8_t source_size, target_size;
    std::uint16_t link_count;
    std::uint32_t shared_by;
  };

  void clear() {
    entries_.clear();
    orientations_.clear();
    symbols_.clear();
    links_.clear();
  }
  std::size_t size() const { return entries_.size(); }
  std::uint32_t shared_by(std::size_t i) const { return entries_[i].shared_by; }
  // Four bits: two for the orientation towards the phrase before, two for that towards the phrase after; 0 where
  // they are not searched.
  std::uint8_t orientation(std::size_t i) const { return orientations_.empty() ? 0 : orientations_[i]; }
  RuleView rule(std::size_t i) const {
    const Entry& entry = entries_[i];
    const Symbol* begin = symbols_.data() + entry.symbols;
    return {{begin, entry.source_size},
            {begin + entry.source_size, entry.target_size},
            {links_.data() + entry.links, entry.link_count}};
  }

  // Symbols and links of the next rule are pushed here, source side first, then `close` makes an entry of them.
  std::vector<Symbol>& symbols() { return symbols_; }
  std::vector<RuleLink>& links() { return links_; }
  // Throws Error where a sentence pair has too many rules.
  void close(std::size_t source_size) {
    if (symbols_.size() > 0xFFFFFFFFu || links_.size() > 0xFFFFFFFFu)
      throw Error("a sentence pair has rules of more than 4294967295 symbols; lower the limits of their length");
    Entry entry{};
    if (!entries_.empty()) {
      const Entry& last = entries_.back();
      entry.symbols = last.symbols + last.source_size + last.target_size;
      entry.links = last.links + last.link_count;
    }
    entry.source_size = static_cast<std::uint8_t>(source_size);
    entry.target_size = static_cast<std::uint8_t>(symbols_.size() - entry.symbols - source_size);
    entry.link_count = narrow<std::uint16_t>(links_.size() - entry.links);
    entry.shared_by = 1;
    entries_.push_back(entry);
  }
  // Adds the orientation of the next entry; for all entries or for none.
  void orient(std::uint8_t orientation) { orientations_.push_back(orientation); }
  // The entries from `first` on share one count.
  void share_from(std::size_t first) {
    if (size() - first > most_sharing)
      throw Error("an initial phrase has more than " + std::to_string(most_sharing) + " rules; lower the limits");
    for (std::size_t i = first; i < size(); ++i) entries_[i].shared_by = narrow<std::uint32_t>(size() - first);
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> orientations_;
  std::vector<Symbol> symbols_;
  std::vector<RuleLink> links_;
};

}  // namespace tunesmith
