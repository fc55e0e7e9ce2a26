// Interpolated modified Kneser-Ney probabilities (Chen and Goodman, 1998) from adjusted counts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/files/record_sorter.hpp"
#include "base/files/spool.hpp"
#include "lm/adjust.hpp"
#include "lm/discount.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

// Log10 probabilities of the n-grams that were not pruned, and log10 back-offs of those that are contexts.
struct Probabilities {
  std::vector<Spool> orders;            // [n - 1]: n-grams in context order, the bits of the float after each
  std::vector<float> unigram_backoffs;  // by word, 0 where the word is not a context
  std::vector<RecordSorter> backoffs;   // [n - 2]: order n from 2 to highest - 1; n-gram and bits, not yet sorted
};

// One joint pass over the counts of all orders, which are used up. `sort_bytes` is shared by the back-offs, which
// are sorted later on `threads` threads.
// Memory in addition: 8 bytes × vocabulary × order.
Probabilities estimate_probabilities(AdjustedCounts& counts, const std::vector<Discounts>& discounts,
                                     MemoryBudget& budget, std::size_t sort_bytes, const std::string& folder,
                                     int threads, const Progress& progress);

}  // namespace tunesmith::lm
