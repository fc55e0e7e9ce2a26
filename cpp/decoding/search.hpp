// What a decoder asks of a search.
#pragma once

#include <atomic>

#include "decoding/chart/chart.hpp"
#include "decoding/sentence_rows.hpp"

namespace tunesmith {

// One for each thread; keeps its memory and the options of source sides from sentence to sentence.
class Search {
 public:
  virtual ~Search() = default;

  // The chart is valid until the next call. stop: once it is true, the sentence is brought to its end as if it had
  // used up a limit.
  virtual const Chart& run(SentenceRows& rows, Keep keep, const std::atomic<bool>* stop = nullptr) = 0;
};

}  // namespace tunesmith
