// Word translation probabilities by relative frequency of links (Koehn et al. 2003, section 4.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alignment/links.hpp"
#include "corpus/word_table.hpp"

namespace tunesmith {

// A word translation and how often it was linked. `null_word` on one side: the other word had no link.
struct WordPairCount {
  WordId given, word;
  std::int64_t count;
};

inline constexpr WordId null_word = -1;

// p(word | given) for both words of every linked pair; an unaligned word is linked to NULL.
// Entries are ordered by `given`, then `word`; NULL comes first.
class LexicalTable {
 public:
  // Sums counts of the same pair. Counts are positive.
  explicit LexicalTable(std::vector<WordPairCount> counts);

  std::size_t size() const { return entries_.size(); }
  const std::vector<WordPairCount>& entries() const { return entries_; }
  const std::vector<double>& probabilities() const { return probabilities_; }
  // 0 for pairs never seen.
  double probability(WordId given, WordId word) const;

 private:
  std::vector<WordPairCount> entries_;
  std::vector<double> probabilities_;
};

// Sentences as word numbers: sentence i is ids[offsets[i] .. offsets[i + 1]).
struct WordNumbers {
  std::span<const WordId> ids;
  std::span<const std::int64_t> offsets;
  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const WordId> of(std::size_t i) const {
    return ids.subspan(static_cast<std::size_t>(offsets[i]),
                       static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
};

struct LexicalTables {
  LexicalTable target_given_source, source_given_target;
};

// Both tables of an aligned corpus. `to_null`: a word without link also counts as translated by NULL, which lowers
// its other probabilities (Koehn et al. 2003 and the tables of Moses). Two threads make a table each. Throws if a
// link points outside its sentences.
LexicalTables count_translations(const WordNumbers& source, const WordNumbers& target,
                                 const Alignments& alignments, bool to_null = false, int threads = 1);

}  // namespace tunesmith
