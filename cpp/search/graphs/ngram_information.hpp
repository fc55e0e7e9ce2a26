// Information weights of n-grams: NIST counts what is matched by them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tunesmith {

// log2(count(w1…wn-1) / count(w1…wn)) over the references of all sentences (Doddington 2002, eq. 2).
// metrics/reference_ngrams.hpp does the same for text; here words are numbers that the caller chose, as in
// reference_matches.hpp: a negative one is some word of which nobody asks.
class NgramInformation {
 public:
  // order: longest n-gram, 1 to 9. A reference given twice for a sentence counts once.
  NgramInformation(const std::vector<std::vector<std::vector<std::int32_t>>>& references, int order);

  int order() const { return order_; }
  // 0 for an n-gram that no reference has.
  double of(std::span<const std::int32_t> ngram) const;

 private:
  int order_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      child_;                             // (n-gram, next word) → n-gram; n-gram 0 is the empty one
  std::vector<std::uint64_t> counts_{0};  // of n-gram 0: all words
};

}  // namespace tunesmith
