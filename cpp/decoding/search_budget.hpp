// What a search may spend on one sentence, and whether it has.
#pragma once

#include <atomic>
#include <chrono>

#include "decoding/chart/chart.hpp"
#include "decoding/options.hpp"

namespace tunesmith {

class SearchBudget {
 public:
  // The options outlive the budget.
  explicit SearchBudget(const DecoderOptions& options) : options_(options) {}

  // A sentence begins, and its time. stop: null, or what ends the sentence once it is true. Throws Error for a
  // sentence whose words cannot be numbered.
  void start(const Sentence& sentence, const std::atomic<bool>* stop);
  // Whether the sentence has used up what it may spend, which the chart then says from here on; or whether words
  // up to `end` are more than are searched, which the chart then says too, but not of what ends before.
  bool exhausted(Chart& chart, std::size_t end) const;

 private:
  const DecoderOptions& options_;
  const std::atomic<bool>* stop_ = nullptr;
  std::chrono::steady_clock::time_point deadline_{};
};

}  // namespace tunesmith
