// Lexical weights of rules (Koehn et al. 2003, section 4.4).
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "alignment/lexical_table.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// The probabilities of a lexical table by hash, for very many lookups.
class Lexicon {
 public:
  // `decimals`: probabilities are rounded as a text file with this many decimals has them.
  Lexicon(const LexicalTable& table, std::optional<int> decimals);
  // p(word | given), 0 for pairs never linked.
  double probability(WordId given, WordId word) const;

 private:
  struct Slot {
    std::uint64_t key = 0;
    double probability = -1;  // free
  };
  std::vector<Slot> slots_;
};

// A score as it is stored. What is positive stays so, however small: its logarithm is taken later.
inline float stored_score(double value) {
  const auto stored = static_cast<float>(value);
  return stored == 0 && value > 0 ? std::numeric_limits<float>::denorm_min() : stored;
}

// Π over the words of one side of the mean over its links of p(word | given), or of p(word | NULL) without links.
// `links` as (given position, word position). Gaps have no part in it. 0 only if a factor is 0.
double lexical_weight(const Lexicon& lexicon, std::span<const Symbol> given, std::span<const Symbol> words,
                      std::span<const RuleLink> links, bool flipped);

}  // namespace tunesmith
