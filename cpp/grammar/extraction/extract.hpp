// Rules of one aligned sentence pair: phrase pairs, and hierarchical rules (Chiang 2007, section 3.2).
#pragma once

#include <optional>

#include "grammar/extraction/initial_phrases.hpp"
#include "grammar/extraction/orientation.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

struct PhraseOptions {
  int max_length = 7;  // words of either side
  bool tight = false;  // no unaligned words at the ends
};

struct HieroOptions {
  int max_span = 10;         // words of an initial phrase, either side
  int max_symbols = 5;       // words and gaps of the source side
  int max_gaps = 2;          // 0, 1 or 2
  int min_gap = 2;           // source words that a gap stands for, at least
  bool adjacent = false;     // gaps may stand side by side in the source side
  bool aligned = true;       // at least one link between words must be left
  bool tight = true;         // initial phrases without unaligned words at the ends
  bool normal_form = false;  // target side = words, then gaps (Watanabe et al. 2007, section 2.2)
  bool fractional = true;    // the rules of an initial phrase share its count of 1; otherwise each counts 1
};

// Both throw Error for options outside their range. Every rule has a word on either side.
void check_options(const PhraseOptions& options);
void check_options(const HieroOptions& options);

// Finds the rules of one sentence pair after the other; keeps its memory in between.
class RuleExtractor {
 public:
  // `out` is cleared first. With `orientation`, every occurrence has its orientations.
  void phrases(const AlignedPair& pair, const PhraseOptions& options, Occurrences& out,
               std::optional<OrientationModel> orientation = std::nullopt);
  void hiero(const AlignedPair& pair, const HieroOptions& options, Occurrences& out);

 private:
  void add_rule(const AlignedPair& pair, const PhrasePair& phrase, const PhrasePair* first,
                const PhrasePair* second, Occurrences& out);

  InitialPhrases initial_;
  OrientationFinder orientations_;
  std::vector<PhrasePair> gaps_;
  std::vector<std::int32_t> aligned_before_;  // aligned target words before each position
  std::vector<std::uint32_t> links_from_;     // first link of each source word
  std::vector<std::uint8_t> target_place_;    // place of each target word in the rule being made
};

}  // namespace tunesmith
