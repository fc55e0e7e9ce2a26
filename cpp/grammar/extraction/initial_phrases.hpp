// Phrase pairs consistent with a word alignment (Och et al. 1999; Koehn et al. 2003), from which rules are made.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/rule.hpp"

namespace tunesmith {

// Source words [source_begin, source_end) and target words [target_begin, target_end).
struct PhrasePair {
  std::int32_t source_begin, source_end, target_begin, target_end;
  std::int32_t source_size() const { return source_end - source_begin; }
  std::int32_t target_size() const { return target_end - target_begin; }
  auto operator<=>(const PhrasePair&) const = default;
};

// For every word of a side: how many links it has and the first and last word it is linked to.
struct LinkRange {
  std::int32_t count = 0, first = 0, last = 0;
};

class InitialPhrases {
 public:
  // Finds all phrase pairs with at least one link in which no word is linked to a word outside, at most `limit`
  // words on either side. `tight`: the words at the four ends are aligned; otherwise unaligned words there are
  // taken in as well. The order is that of target_begin, target_end, then source_begin falling, source_end rising.
  void find(const AlignedPair& pair, int limit, bool tight);

  const std::vector<PhrasePair>& phrases() const { return phrases_; }
  const std::vector<LinkRange>& source_words() const { return source_; }
  const std::vector<LinkRange>& target_words() const { return target_; }

 private:
  std::vector<LinkRange> source_, target_;
  std::vector<PhrasePair> phrases_;
};

}  // namespace tunesmith
