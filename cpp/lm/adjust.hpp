// Adjusted counts of all orders from raw counts of the longest n-grams (Kneser and Ney, 1995).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/files/record_sorter.hpp"
#include "base/files/spool.hpp"
#include "lm/discount.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

// N-grams of one order in context order, each with its adjusted count; pruned ones are marked, not left out.
struct AdjustedRecord {
  static constexpr std::uint64_t pruned_bit = std::uint64_t{1} << 63;
  static void put(std::uint32_t* payload, std::uint64_t count, bool pruned) {
    const std::uint64_t value = count | (pruned ? pruned_bit : 0);
    payload[0] = static_cast<std::uint32_t>(value);
    payload[1] = static_cast<std::uint32_t>(value >> 32);
  }
  static std::uint64_t value(const std::uint32_t* payload) {
    return payload[0] | static_cast<std::uint64_t>(payload[1]) << 32;
  }
};

struct AdjustedCounts {
  std::vector<std::uint64_t> unigrams;     // by word, the whole vocabulary; none is pruned
  std::vector<std::vector<Spool>> ranges;  // of contexts, in order; [n - 2]: order n
  std::vector<CountsOfCounts> statistics;  // [n - 1]
};

// The adjusted count of an n-gram is the number of different words seen on its left; at the highest order, and for
// n-grams that begin with <s>, it is how often the n-gram occurs (Chen and Goodman 1998, modified Kneser-Ney
// smoothing, and lmplz's convention). One pass over `counts`, which have been ended, by `workers` threads, each
// through ranges of contexts that end in different words. Memory in addition to the spools for each worker:
// 16 bytes × vocabulary × order. An n-gram of order n is pruned if it occurs at most prune[n - 1] times; prune
// rises, prune[0] is 0.
AdjustedCounts adjust_counts(const RecordSorter& counts, int order, std::size_t vocabulary,
                             std::span<const std::uint64_t> prune, MemoryBudget& budget, const std::string& folder,
                             std::size_t workers, const Progress& progress);

}  // namespace tunesmith::lm
