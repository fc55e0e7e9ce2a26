#include "lm/estimate.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace tunesmith::lm {

Estimate::Estimate(NgramCounter& counter, const EstimateOptions& options, const Progress& progress) : budget_(0) {
  const int order = counter.order();
  if (options.prune.size() != static_cast<std::size_t>(order) || options.prune[0] != 0 ||
      !std::is_sorted(options.prune.begin(), options.prune.end()))
    throw Error("one pruning threshold for each order is needed, rising from 0");
  if (counter.sentences() == 0) throw LineError(0, "the text is empty; a model needs at least one line");
  words_ = counter.take_words();
  // Tables by word; the rest of the memory is for records: sorted counts and the adjusted ones made from them,
  // then probabilities that take the place of adjusted counts, and back-offs to be sorted.
  const std::size_t tables = 24 * words_.size() * options.prune.size();
  const std::size_t records = options.bytes > tables ? options.bytes - tables : 0;
  AdjustedCounts adjusted;
  {
    RecordSorter counts = counter.take_sorted();
    const std::size_t held = std::min(counts.bytes_in_memory(), records);
    budget_.give_back(std::min(records - held, records / 3 * 2));
    adjusted = adjust_counts(counts, order, words_.size(), options.prune, budget_, options.folder, progress);
    spilled_ = counts.spilled();
  }
  statistics_ = adjusted.statistics;
  for (int n = 1; n <= order; ++n)
    discounts_.push_back(estimate_discounts(n, statistics_[static_cast<std::size_t>(n - 1)], options.fallback));
  probabilities_ = estimate_probabilities(adjusted, discounts_, budget_, records / 3, options.folder,
                                          options.threads, progress);
  for (RecordSorter& backoffs : probabilities_.backoffs) {
    backoffs.sort();
    spilled_ += backoffs.spilled();
  }
  for (Spool& spool : probabilities_.orders) spool.rewind();
}

bool Estimate::next(int& order, Ngram& ngram) {
  while (probabilities_.orders[index_].head() == nullptr) {
    if (index_ + 1 == probabilities_.orders.size()) return false;
    ++index_;
  }
  Spool& spool = probabilities_.orders[index_];
  const std::size_t length = index_ + 1;
  std::copy(spool.head(), spool.head() + length + 1, current_);
  spool.advance();
  order = static_cast<int>(length);
  ngram = {current_, std::bit_cast<float>(current_[length]), 0.0f};
  if (length == probabilities_.orders.size()) return true;
  if (length == 1) {
    ngram.backoff = probabilities_.unigram_backoffs[current_[0]];
    return true;
  }
  // Both are in context order, and every back-off belongs to an n-gram of the model.
  RecordSorter& backoffs = probabilities_.backoffs[length - 2];
  if (backoffs.head() != nullptr && std::equal(current_, current_ + length, backoffs.head())) {
    ngram.backoff = std::bit_cast<float>(backoffs.head()[length]);
    backoffs.advance();
  }
  return true;
}

}  // namespace tunesmith::lm
