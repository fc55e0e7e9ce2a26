#include "alignment/lexical_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tunesmith {

LexicalTable::LexicalTable(std::vector<WordPairCount> counts) : entries_(std::move(counts)) {
  // In the order of `given`, then `word`; NULL, which is below 0, first.
  const auto key = [](const WordPairCount& entry) {
    const auto unsigned_order = [](WordId word) { return static_cast<std::uint32_t>(word) ^ 0x80000000u; };
    return static_cast<std::uint64_t>(unsigned_order(entry.given)) << 32 | unsigned_order(entry.word);
  };
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

namespace {

// The table p(word | given), of the sentences with the given words and those with the words that are counted.
LexicalTable count_words(const WordNumbers& given, const WordNumbers& words, bool given_is_source,
                         const Alignments& alignments, bool to_null) {
  std::vector<WordPairCount> counts;
  std::vector<bool> given_linked, word_linked;
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    const auto g = given.of(i), w = words.of(i);
    given_linked.assign(g.size(), false);
    word_linked.assign(w.size(), false);
    for (const Link& link : alignments.of(i)) {
      auto at = static_cast<std::size_t>(link.source), to = static_cast<std::size_t>(link.target);
      if (!given_is_source) std::swap(at, to);
      given_linked[at] = word_linked[to] = true;
      counts.push_back({g[at], w[to], 1});
    }
    for (std::size_t to = 0; to < w.size(); ++to)
      if (!word_linked[to]) counts.push_back({null_word, w[to], 1});
    for (std::size_t at = 0; to_null && at < g.size(); ++at)
      if (!given_linked[at]) counts.push_back({g[at], null_word, 1});
  }
  return LexicalTable(std::move(counts));
}

}  // namespace

LexicalTables count_translations(const WordNumbers& source, const WordNumbers& target,
                                 const Alignments& alignments, bool to_null, int threads) {
  if (source.size() != target.size() || source.size() != alignments.size())
    throw Error(std::to_string(source.size()) + " source sentences, " + std::to_string(target.size()) +
                " target sentences and " + std::to_string(alignments.size()) + " alignments");
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    const auto f = source.of(i), e = target.of(i);
    for (const Link& link : alignments.of(i))
      if (static_cast<std::size_t>(link.source) >= f.size() || static_cast<std::size_t>(link.target) >= e.size())
        throw LineError(static_cast<std::int64_t>(i) + 1,
                        "link " + std::to_string(link.source) + '-' + std::to_string(link.target) +
                            " points outside the sentences, which have " + std::to_string(f.size()) + " and " +
                            std::to_string(e.size()) + " words");
  }
  std::optional<LexicalTable> tables[2];
  parallel_each(2, threads, [&](std::size_t direction) {
    tables[direction] = direction == 0 ? count_words(source, target, true, alignments, to_null)
                                       : count_words(target, source, false, alignments, to_null);
  });
  return {std::move(*tables[0]), std::move(*tables[1])};
}

}  // namespace tunesmith
