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
  std::vector<float> unigrams;          // by word, the whole vocabulary
  std::vector<float> unigram_backoffs;  // by word, 0 where the word is not a context
  // Of contexts, in order; [n - 2]: n-grams of order n in context order, the bits of the float after each.
  std::vector<std::vector<Spool>> ranges;
  // [n - 2]: order n from 2 to highest - 1; n-gram and bits, not yet sorted, of each worker.
  std::vector<std::vector<RecordSorter>> backoffs;
};

// One joint pass over the counts of all orders, which are used up, by `workers` threads. `sort_bytes` is shared by
// the back-offs. Memory in addition for each worker: 8 bytes × vocabulary × order.
Probabilities estimate_probabilities(AdjustedCounts& counts, const std::vector<Discounts>& discounts,
                                     MemoryBudget& budget, std::size_t sort_bytes, const std::string& folder,
                                     std::size_t workers, const Progress& progress);

}  // namespace tunesmith::lm
