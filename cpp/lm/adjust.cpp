#include "lm/adjust.hpp"

#include <algorithm>

namespace tunesmith::lm {
namespace {

// Walks through the contexts as through a tree: level L is the context of the last L words, its children are the
// contexts one word longer. A child that ends hands each of its followers to its parent as one word seen on the
// left. The followers of the open context of each level are kept by word.
class Adjuster {
 public:
  Adjuster(int order, std::size_t vocabulary, std::span<const std::uint64_t> prune, AdjustedCounts& out)
      : deepest_(static_cast<std::size_t>(order) - 1),
        prune_(prune),
        out_(out),
        levels_(std::max<std::size_t>(deepest_, 1)) {
    for (Level& level : levels_) level.of.resize(vocabulary);
  }

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

  void finish() {
    for (std::size_t level = deepest_; level-- > 1;) close(level);
    for (std::uint32_t word = 0; word < levels_[0].of.size(); ++word) {
      const Count& count = levels_[0].of[word];
      std::uint32_t* record = out_.orders[0].append();
      record[0] = word;
      AdjustedRecord::put(record + 1, count.adjusted, false);
      out_.statistics[0].add(count.adjusted, true);
    }
  }

 private:
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
    std::uint32_t* record = out_.orders[level].append();
    std::copy(context_, context_ + level, record);
    record[level] = word;
    AdjustedRecord::put(record + level + 1, adjusted, pruned);
    out_.statistics[level].add(adjusted, !pruned);
  }

  std::size_t deepest_;
  std::span<const std::uint64_t> prune_;
  AdjustedCounts& out_;
  std::vector<Level> levels_;
  std::uint32_t context_[max_order] = {};
};

}  // namespace

AdjustedCounts adjust_counts(RecordSorter& counts, int order, std::size_t vocabulary,
                             std::span<const std::uint64_t> prune, MemoryBudget& budget, const std::string& folder,
                             const Progress& progress) {
  constexpr std::uint64_t step = 1 << 18;
  AdjustedCounts out;
  for (int n = 1; n <= order; ++n) out.orders.emplace_back(static_cast<std::size_t>(n) + 2, budget, folder);
  out.statistics.resize(static_cast<std::size_t>(order));
  Adjuster adjuster(order, vocabulary, prune, out);
  std::uint64_t done = 0;
  for (; const std::uint32_t* record = counts.head(); counts.advance()) {
    adjuster.add(record, AdjustedRecord::value(record + order));
    if (++done % step == 0) progress(done, 0);
  }
  adjuster.finish();
  return out;
}

}  // namespace tunesmith::lm
