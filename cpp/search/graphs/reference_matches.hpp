// Clipped n-gram matches of strings of numbers with the references of one sentence.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "search/graphs/ngram_information.hpp"

namespace tunesmith {

// Words are numbers that the caller chose: equal words have equal numbers; a negative one matches nothing.
// metrics/reference_ngrams.hpp does the same for text; search works with numbers and asks about many small pieces.
class ReferenceMatches {
 public:
  // order: longest n-gram, 1 to 9. At least one reference; one given twice counts once. information: of n-grams,
  // by which they then count instead of as 1 each.
  ReferenceMatches(const std::vector<std::vector<std::int32_t>>& references, int order,
                   const NgramInformation* information = nullptr);

  int order() const { return order_; }
  std::span<const std::uint32_t> lengths() const { return lengths_; }

  // Writes the clipped matches of order 1…n (Papineni et al. 2002, section 2.1). Returns a fingerprint of which
  // n-grams of the references are in `words`, and how often. Uses scratch memory: not for two threads at once.
  std::uint64_t match(std::span<const std::int32_t> words, double* matches);

 private:
  struct Node {
    std::uint32_t most;  // occurrences in the reference that has most of it
    std::uint32_t used;  // scratch
    double weight;
  };

  int order_;
  std::vector<std::uint32_t> lengths_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      child_;  // (n-gram, next word) → n-gram; n-gram 0 is the empty one
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace tunesmith
