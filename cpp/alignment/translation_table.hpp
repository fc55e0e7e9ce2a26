// The parameters t(e|f) of word alignment models, for the word pairs that occur together, and their counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "alignment/lexical_table.hpp"

namespace tunesmith {

// p as a whole number: sums of these do not depend on their order, so neither do results on threads.
inline constexpr double count_unit = 4294967296.0;

// Row 0 is the empty word (NULL), row f + 1 the source word f. A row holds the target words of all sentence pairs
// that its source word is in.
class TranslationTable {
 public:
  TranslationTable() = default;
  // Uniform probabilities. Pairs with an empty side have no part in it.
  TranslationTable(const WordNumbers& source, const WordNumbers& target, std::size_t source_words);

  std::size_t size() const { return words_.size(); }
  // Where (row, e) is; the pair must be in the table. O(log of the row's length).
  std::size_t find(std::size_t row, WordId e) const;
  float probability(std::size_t at) const { return probabilities_[at]; }
  void add(std::size_t at, double count) {
    std::atomic_ref(counts_[at])
        .fetch_add(static_cast<std::int64_t>(count * count_unit + 0.5), std::memory_order_relaxed);
  }

  // New probabilities from the counts, which are 0 afterwards. With `prior`, the mean of variational Bayes under a
  // symmetric Dirichlet prior (Riley and Gildea 2012, equation 5): rare words then do not collect what nothing
  // else explains. 0 is maximum likelihood.
  void normalize(double prior, int threads);

 private:
  std::vector<std::int64_t> begins_;  // of rows
  std::vector<WordId> words_;         // ascending in each row
  std::vector<float> probabilities_;
  std::vector<std::int64_t> counts_;
};

}  // namespace tunesmith
