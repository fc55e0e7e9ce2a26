#include "decoding/search_budget.hpp"

#include <limits>
#include <string>

#include "base/error.hpp"

namespace tunesmith {

void SearchBudget::start(const Sentence& sentence, const std::atomic<bool>* stop) {
  // Spans have 16 bits for a position.
  if (sentence.size() > std::numeric_limits<std::uint16_t>::max() - 2u)
    throw Error("a sentence of " + std::to_string(sentence.size()) + " words; at most 65533 can be translated");
  stop_ = stop;
  if (options_.timeout)
    deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(*options_.timeout));
}

bool SearchBudget::exhausted(Chart& chart, std::size_t end) const {
  if (chart.limited) return true;
  if ((options_.max_pops > 0 && chart.pops >= options_.max_pops) ||
      (options_.max_edges > 0 && chart.edges.size() >= options_.max_edges) ||
      (options_.max_bytes > 0 && chart.bytes() >= options_.max_bytes) || (stop_ != nullptr && *stop_))
    return chart.limited = true;
  if (options_.timeout && std::chrono::steady_clock::now() >= deadline_)
    return chart.limited = chart.timed_out = true;
  if (options_.max_words > 0 && end > options_.max_words) return chart.too_long = true;
  return false;
}

}  // namespace tunesmith
