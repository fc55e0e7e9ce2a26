#include "alignment/lexical_table.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.hpp"

namespace tunesmith {

LexicalTable::LexicalTable(std::vector<WordPairCount> counts) : entries_(std::move(counts)) {
  const auto key = [](const WordPairCount& entry) { return std::tuple(entry.given, entry.word); };
  std::sort(entries_.begin(), entries_.end(),
            [&](const WordPairCount& a, const WordPairCount& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const WordPairCount& entry : entries_) {
    if (kept > 0 && key(entries_[kept - 1]) == key(entry))
      entries_[kept - 1].count += entry.count;
    else
      entries_[kept++] = entry;
  }
  entries_.resize(kept);
  probabilities_.resize(kept);
  for (std::size_t begin = 0; begin < kept;) {
    std::size_t end = begin;
    std::int64_t total = 0;
    for (; end < kept && entries_[end].given == entries_[begin].given; ++end) total += entries_[end].count;
    for (; begin < end; ++begin)
      probabilities_[begin] = static_cast<double>(entries_[begin].count) / static_cast<double>(total);
  }
}

double LexicalTable::probability(WordId given, WordId word) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), std::tuple(given, word),
      [](const WordPairCount& entry, const auto& key) { return std::tuple(entry.given, entry.word) < key; });
  if (found == entries_.end() || found->given != given || found->word != word) return 0.0;
  return probabilities_[static_cast<std::size_t>(found - entries_.begin())];
}

LexicalTables count_translations(const WordNumbers& source, const WordNumbers& target,
                                 const Alignments& alignments, bool to_null) {
  if (source.size() != target.size() || source.size() != alignments.size())
    throw Error(std::to_string(source.size()) + " source sentences, " + std::to_string(target.size()) +
                " target sentences and " + std::to_string(alignments.size()) + " alignments");
  std::vector<WordPairCount> forward, backward;
  std::vector<bool> source_linked, target_linked;
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    const auto f = source.of(i), e = target.of(i);
    source_linked.assign(f.size(), false);
    target_linked.assign(e.size(), false);
    for (const Link& link : alignments.of(i)) {
      const auto s = static_cast<std::size_t>(link.source), t = static_cast<std::size_t>(link.target);
      if (s >= f.size() || t >= e.size())
        throw LineError(static_cast<std::int64_t>(i) + 1,
                        "link " + std::to_string(link.source) + '-' + std::to_string(link.target) +
                            " points outside the sentences, which have " + std::to_string(f.size()) + " and " +
                            std::to_string(e.size()) + " words");
      source_linked[s] = target_linked[t] = true;
      forward.push_back({f[s], e[t], 1});
      backward.push_back({e[t], f[s], 1});
    }
    for (std::size_t t = 0; t < e.size(); ++t)
      if (!target_linked[t]) {
        forward.push_back({null_word, e[t], 1});
        if (to_null) backward.push_back({e[t], null_word, 1});
      }
    for (std::size_t s = 0; s < f.size(); ++s)
      if (!source_linked[s]) {
        backward.push_back({null_word, f[s], 1});
        if (to_null) forward.push_back({f[s], null_word, 1});
      }
  }
  return {LexicalTable(std::move(forward)), LexicalTable(std::move(backward))};
}

}  // namespace tunesmith
