// What a decoder asks of a search.
#pragma once

#include <atomic>

#include "decoding/chart.hpp"

namespace tunesmith {

// One for each thread; keeps its memory and the options of source sides from sentence to sentence.
class Search {
 public:
  virtual ~Search() = default;

  // The chart is valid until the next call. stop: once it is true, the sentence is brought to its end as if it had
  // used up a limit. left_out: the sentence pair whose counts are left out.
  virtual const Chart& run(const Sentence& sentence, Keep keep, const std::atomic<bool>* stop = nullptr,
                           const OwnPair* left_out = nullptr) = 0;
};

}  // namespace tunesmith
