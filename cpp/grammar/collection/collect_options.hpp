// What is extracted, how it is scored, and where it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "grammar/collection/smoothing.hpp"
#include "grammar/extraction/extract.hpp"

namespace tunesmith {

struct CollectOptions {
  std::optional<PhraseOptions> phrase;  // one of the two
  std::optional<HieroOptions> hiero;
  std::optional<ReorderingOptions> reordering;  // of phrase pairs
  bool single_words = true;                     // a rule for words that were seen inside longer rules only
  std::int64_t top = 0;                         // rules kept per source side, 0 for all
  RuleSmoothing smoothing = RuleSmoothing::none;
  // Also write -log p of Fisher's exact test. Phrase pairs: on sentence pairs that contain the sides (Johnson et
  // al. 2007). Hierarchical rules, whose sides with gaps are too costly to search: on those that they were
  // extracted from.
  bool significance = false;
  std::optional<int> lexical_decimals;
  std::string folder;                         // for the arrays; exists and is empty
  std::string scratch;                        // for what does not fit into memory
  std::size_t memory = std::size_t{1} << 32;  // in addition to the corpus and the lexical tables
  int threads = 1;
};

}  // namespace tunesmith
