#include "lm/estimate.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "lm/range_workers.hpp"

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
  // Each worker has its own; not more than a quarter of the memory is for those of more than one.
  const std::size_t workers = useful_workers(options.threads, tables, options.bytes / 4);
  const std::size_t records = options.bytes - std::min(workers * tables, options.bytes);
  AdjustedCounts adjusted;
  {
    const RecordSorter counts = counter.take_ended();
    const std::size_t held = std::min(counts.bytes_in_memory(), records);
    budget_.give_back(std::min(records - held, records / 3 * 2));
    adjusted =
        adjust_counts(counts, order, words_.size(), options.prune, budget_, options.folder, workers, progress);
    spilled_ = counts.spilled();
  }
  statistics_ = adjusted.statistics;
  for (int n = 1; n <= order; ++n)
    discounts_.push_back(estimate_discounts(n, statistics_[static_cast<std::size_t>(n - 1)], options.fallback));
  probabilities_ =
      estimate_probabilities(adjusted, discounts_, budget_, records / 3, options.folder, workers, progress);
  std::vector<RecordSorter*> sorters;
  for (auto order_sorters = probabilities_.backoffs.rbegin(); order_sorters != probabilities_.backoffs.rend();
       ++order_sorters)
    for (RecordSorter& sorter : *order_sorters) sorters.push_back(&sorter);
  parallel_each(sorters.size(), narrow<int>(workers), [&](std::size_t i) { sorters[i]->sort(); });
  for (const RecordSorter* sorter : sorters) spilled_ += sorter->spilled();
  if (order > 1) probabilities_.ranges[0][0].rewind();
}

bool Estimate::next(int& order, Ngram& ngram) {
  order = static_cast<int>(index_) + 1;
  if (index_ == 0) {
    if (word_ < probabilities_.unigrams.size()) {
      current_[0] = static_cast<std::uint32_t>(word_++);
      ngram = {current_, probabilities_.unigrams[current_[0]], probabilities_.unigram_backoffs[current_[0]]};
      return true;
    }
    if (statistics_.size() == 1) return false;
    index_ = 1;
  }
  Spool* spool = &probabilities_.ranges[range_][index_ - 1];
  while (spool->head() == nullptr) {
    if (++range_ == probabilities_.ranges.size()) {
      if (index_ + 1 == statistics_.size()) {
        --range_;
        return false;
      }
      ++index_;
      range_ = 0;
    }
    spool = &probabilities_.ranges[range_][index_ - 1];
    spool->rewind();
  }
  const std::size_t length = index_ + 1;
  std::copy(spool->head(), spool->head() + length + 1, current_);
  spool->advance();
  order = static_cast<int>(length);
  ngram = {current_, std::bit_cast<float>(current_[length]), 0.0f};
  if (length == statistics_.size()) return true;
  // All are in context order, and every back-off belongs to an n-gram of the model.
  for (RecordSorter& backoffs : probabilities_.backoffs[length - 2]) {
    if (backoffs.head() == nullptr || !std::equal(current_, current_ + length, backoffs.head())) continue;
    ngram.backoff = std::bit_cast<float>(backoffs.head()[length]);
    backoffs.advance();
    break;
  }
  return true;
}

}  // namespace tunesmith::lm
