// The whole of the estimation: counted text in, n-grams with log10 probabilities and back-offs out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/files/spool.hpp"
#include "corpus/word_table.hpp"
#include "lm/count.hpp"
#include "lm/discount.hpp"
#include "lm/kneser_ney.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

struct EstimateOptions {
  std::vector<std::uint64_t> prune;  // one threshold for each order; see adjust.hpp
  Fallback fallback;
  std::size_t bytes = std::size_t{1} << 32;  // all memory that estimation may use
  std::string folder = "/tmp";
  int threads = 1;
};

class Estimate {
 public:
  // Uses up the counts. Throws Error where discounts cannot be estimated and there is no fallback.
  Estimate(NgramCounter& counter, const EstimateOptions& options, const Progress& progress);
  Estimate(const Estimate&) = delete;  // spools point to the budget

  int order() const { return static_cast<int>(statistics_.size()); }
  const WordTable& words() const { return words_; }
  const std::vector<CountsOfCounts>& statistics() const { return statistics_; }
  const std::vector<Discounts>& discounts() const { return discounts_; }
  std::size_t spilled() const { return spilled_; }

  struct Ngram {
    const std::uint32_t* words;  // in context order
    float probability, backoff;  // log10
  };

  // The n-grams of order 1, then 2, and so on, each in context order; false at the end. Can be read once.
  bool next(int& order, Ngram& ngram);

 private:
  WordTable words_;
  MemoryBudget budget_;
  std::vector<CountsOfCounts> statistics_;
  std::vector<Discounts> discounts_;
  Probabilities probabilities_;
  std::size_t spilled_ = 0;
  std::size_t index_ = 0;  // order - 1 of the n-grams that are being read
  std::size_t word_ = 0, range_ = 0;
  std::uint32_t current_[max_order + 1] = {};
};

}  // namespace tunesmith::lm
