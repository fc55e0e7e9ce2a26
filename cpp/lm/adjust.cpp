#include "lm/adjust.hpp"

#include <algorithm>
#include <utility>

#include "lm/range_workers.hpp"

namespace tunesmith::lm {
namespace {

// Walks through the contexts as through a tree: level L is the context of the last L words, its children are the
// contexts one word longer. A child that ends hands each of its followers to its parent as one word seen on the
// left. The followers of the open context of each level are kept by word.
class Adjuster {
 public:
  Adjuster(std::size_t vocabulary, std::span<const std::uint64_t> prune, std::vector<RecordReader>& counts,
           std::vector<std::vector<Spool>>& out, Meter& meter)
      : deepest_(prune.size() - 1),
        prune_(prune),
        counts_(counts),
        out_(out),
        meter_(meter),
        levels_(std::max<std::size_t>(deepest_, 1)),
        statistics_(prune.size()) {
    for (Level& level : levels_) level.of.resize(vocabulary);
  }

  // Goes through one range of contexts, which no other range has.
  void operator()(std::size_t range) {
    orders_ = &out_[range];
    RecordReader counts = std::exchange(counts_[range], {});
    for (counts.start(); const std::uint32_t* record = counts.head(); counts.advance()) {
      add(record, AdjustedRecord::value(record + prune_.size()));
      meter_.count(done_);
    }
    for (std::size_t level = deepest_; level-- > 1;) close(level);
    for (Spool& spool : *orders_) spool.end();
    meter_.add(done_);
  }

  // Adds what this one saw of unigrams and counts of counts.
  void add_to(AdjustedCounts& all) const {
    for (std::size_t word = 0; word < all.unigrams.size(); ++word)
      all.unigrams[word] += levels_[0].of[word].adjusted;
    for (std::size_t i = 1; i < statistics_.size(); ++i) all.statistics[i].add(statistics_[i]);
  }

 private:
  void add(const std::uint32_t* record, std::uint64_t count) {
    const std::uint32_t word = record[deepest_];
    if (deepest_ == 0) {  // unigrams alone: their counts are not adjusted
      levels_[0].of[word] = {count, count};
      return;
    }
    std::size_t same = 0;
    while (same < deepest_ && record[same] == context_[same]) ++same;
    for (std::size_t level = deepest_ - 1; level > same; --level) close(level);
    std::copy(record, record + deepest_, context_);

    const std::uint32_t* begin = std::find(record, record + deepest_, sentence_begin);
    const auto length = static_cast<std::size_t>(begin - record) + 1;  // of the context with its <s>
    if (length >= deepest_) {
      put(deepest_, word, count, count);
      levels_[deepest_ - 1].see(word, count);
    } else {
      levels_[length].set(word, count);
    }
  }

  struct Count {
    std::uint64_t adjusted = 0, occurrences = 0;
  };
  struct Level {
    std::vector<Count> of;
    std::vector<std::uint32_t> seen;

    // One more word on the left of the follower `word`.
    void see(std::uint32_t word, std::uint64_t occurrences) {
      Count& count = of[word];
      if (count.adjusted++ == 0) seen.push_back(word);
      count.occurrences += occurrences;
    }
    void set(std::uint32_t word, std::uint64_t occurrences) {
      of[word] = {occurrences, occurrences};
      seen.push_back(word);
    }
  };

  // Writes the followers of the open context of this level, 0 < level < deepest, and tells its parent.
  void close(std::size_t level) {
    Level& closing = levels_[level];
    std::sort(closing.seen.begin(), closing.seen.end());
    for (const std::uint32_t word : closing.seen) {
      Count& count = closing.of[word];
      put(level, word, count.adjusted, count.occurrences);
      levels_[level - 1].see(word, count.occurrences);
      count = {};
    }
    closing.seen.clear();
  }

  void put(std::size_t level, std::uint32_t word, std::uint64_t adjusted, std::uint64_t occurrences) {
    const bool pruned = occurrences <= prune_[level];
    std::uint32_t* record = (*orders_)[level - 1].append();
    std::copy(context_, context_ + level, record);
    record[level] = word;
    AdjustedRecord::put(record + level + 1, adjusted, pruned);
    statistics_[level].add(adjusted, !pruned);
  }

  std::size_t deepest_;
  std::span<const std::uint64_t> prune_;
  std::vector<RecordReader>& counts_;
  std::vector<std::vector<Spool>>& out_;
  Meter& meter_;
  std::vector<Level> levels_;
  std::vector<CountsOfCounts> statistics_;
  std::vector<Spool>* orders_ = nullptr;  // of the range
  std::uint64_t done_ = 0;
  std::uint32_t context_[max_order] = {};
};

// How many ranges workers take in turn. A range has a spool for each order, twice: of counts and of probabilities;
// one that does not fit in memory has a file, and a process may have some thousand files open.
std::size_t ranges_for(std::size_t workers, int order) {
  if (workers == 1) return 1;
  const std::size_t files = 2 * static_cast<std::size_t>(std::max(order - 1, 1));
  return std::max(workers, std::min(8 * workers, 256 / files));
}

}  // namespace

AdjustedCounts adjust_counts(const RecordSorter& counts, int order, std::size_t vocabulary,
                             std::span<const std::uint64_t> prune, MemoryBudget& budget, const std::string& folder,
                             std::size_t workers, const Progress& progress) {
  AdjustedCounts out;
  std::vector<RecordReader> ranges = counts.split(ranges_for(workers, order), workers);
  for (std::size_t range = 0; range < ranges.size(); ++range) {
    std::vector<Spool>& orders = out.ranges.emplace_back();
    for (int n = 2; n <= order; ++n) orders.emplace_back(static_cast<std::size_t>(n) + 2, budget, folder);
  }
  Meter meter(progress, 0);
  std::vector<Adjuster> adjusters;
  for (std::size_t i = 0; i < workers; ++i) adjusters.emplace_back(vocabulary, prune, ranges, out.ranges, meter);
  run_ranges(ranges.size(), adjusters, meter);
  out.unigrams.resize(vocabulary);
  out.statistics.resize(static_cast<std::size_t>(order));
  for (const Adjuster& adjuster : adjusters) adjuster.add_to(out);
  for (const std::uint64_t count : out.unigrams) out.statistics[0].add(count, true);
  return out;
}

}  // namespace tunesmith::lm
