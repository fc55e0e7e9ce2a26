#include "tuning/losses/pair_columns_maker.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "search/matrices/distinct_columns.hpp"
#include "tuning/losses/gradient_blocks.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {
namespace {

// The entries of one block, with columns of the matrix.
struct Block {
  std::vector<std::uint32_t> columns, sizes, pairs;
  std::vector<float> values;
};

// Makes blocks, one after the other; one for each thread.
class BlockMaker {
 public:
  BlockMaker(const CandidateMatrix& matrix, const Lists& lists, std::span<const std::int64_t> better,
             std::span<const std::int64_t> worse)
      : matrix_(matrix), lists_(lists), better_(better), worse_(worse), place_(matrix.columns()) {
    seen_.grow(matrix.columns());
  }

  // first_pair: of the sentences [from, to).
  Block make(std::size_t from, std::size_t to, std::size_t first_pair) {
    entries_.clear();
    seen_.clear();
    std::size_t pair = first_pair;
    for (std::size_t s = from; s < to; ++s) pair = add_sentence(s, pair, first_pair);
    return by_column();
  }

 private:
  struct Entry {
    std::uint32_t column, pair;
    float value;
  };

  std::size_t add_sentence(std::size_t sentence, std::size_t pair, std::size_t first_pair) {
    const auto end = static_cast<std::int64_t>(lists_.end(sentence));
    used_.clear();
    std::size_t last = pair;
    for (; last < better_.size() && better_[last] < end; ++last) {
      used_.push_back(better_[last]);
      used_.push_back(worse_[last]);
    }
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    ids_.clear();
    values_.clear();
    ends_.assign(1, 0);
    for (const std::int64_t candidate : used_) {
      matrix_.row(static_cast<std::size_t>(candidate), ids_, values_);
      ends_.push_back(ids_.size());
    }
    for (; pair < last; ++pair) {
      const std::size_t plus = place_of(better_[pair]), minus = place_of(worse_[pair]);
      subtract(row(ids_, plus), row(values_, plus), row(ids_, minus), row(values_, minus),
               [&](std::uint32_t column, double value) { add(column, pair, first_pair, value); });
    }
    return pair;
  }

  void add(std::uint32_t column, std::size_t pair, std::size_t first_pair, double value) {
    const auto stored = static_cast<float>(value);
    if (!std::isfinite(stored))
      throw Error("pair " + std::to_string(pair) + " has a value that is no finite number of single precision");
    if (stored == 0) return;
    seen_.add(column);
    entries_.push_back({column, static_cast<std::uint32_t>(pair - first_pair), stored});
  }

  // Entries by column, those of a column in the order of the pairs.
  Block by_column() {
    Block block;
    block.columns.assign(seen_.ids().begin(), seen_.ids().end());
    std::sort(block.columns.begin(), block.columns.end());
    for (std::size_t i = 0; i < block.columns.size(); ++i)
      place_[block.columns[i]] = static_cast<std::uint32_t>(i);
    block.sizes.resize(block.columns.size());
    for (const Entry& entry : entries_) ++block.sizes[place_[entry.column]];
    std::vector<std::size_t> next(block.columns.size());
    for (std::size_t i = 1; i < next.size(); ++i) next[i] = next[i - 1] + block.sizes[i - 1];
    block.pairs.resize(entries_.size());
    block.values.resize(entries_.size());
    for (const Entry& entry : entries_) {
      const std::size_t to = next[place_[entry.column]]++;
      block.pairs[to] = entry.pair;
      block.values[to] = entry.value;
    }
    return block;
  }

  std::size_t place_of(std::int64_t candidate) const {
    return static_cast<std::size_t>(std::lower_bound(used_.begin(), used_.end(), candidate) - used_.begin());
  }
  template <class Value>
  std::span<const Value> row(const std::vector<Value>& all, std::size_t number) const {
    return std::span(all).subspan(ends_[number], ends_[number + 1] - ends_[number]);
  }

  const CandidateMatrix& matrix_;
  const Lists& lists_;
  std::span<const std::int64_t> better_, worse_;
  DistinctColumns seen_;
  std::vector<std::uint32_t> place_;  // of columns of the present block
  std::vector<Entry> entries_;
  std::vector<std::int64_t> used_;  // candidates of the present sentence
  std::vector<std::uint32_t> ids_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;
};

// The first pair of each block, and the end. Throws Error for pairs that are not sorted, or of two sentences.
std::vector<std::int64_t> bounds_of(const Lists& lists, std::span<const std::int64_t> better,
                                    std::span<const std::int64_t> worse, std::size_t size) {
  std::vector<std::int64_t> bounds{0};
  std::size_t pair = 0;
  for (std::size_t s = 0; s < lists.size(); ++s) {
    const auto begin = static_cast<std::int64_t>(lists.begin(s)), end = static_cast<std::int64_t>(lists.end(s));
    const auto belongs = [&](std::int64_t candidate) { return candidate >= begin && candidate < end; };
    for (; pair < better.size() && belongs(better[pair]); ++pair)
      if (!belongs(worse[pair])) throw Error("pair " + std::to_string(pair) + " has candidates of two sentences");
    if ((s + 1) % size == 0 || s + 1 == lists.size()) bounds.push_back(static_cast<std::int64_t>(pair));
  }
  if (pair != better.size())
    throw Error("pair " + std::to_string(pair) + " is not in the order of sentences, or names no candidate");
  return bounds;
}

}  // namespace

StoredPairColumns make_pair_columns(const CandidateMatrix& matrix, const Lists& lists,
                                    std::span<const std::int64_t> better, std::span<const std::int64_t> worse,
                                    std::size_t a_block, int threads) {
  if (better.size() != worse.size()) throw Error("there must be as many better as worse candidates");
  if (matrix.rows() != lists.rows()) throw Error("the lists do not belong to the matrix");
  const std::size_t size = a_block == 0 ? sentences_a_block(lists.size()) : a_block;
  StoredPairColumns result;
  result.pair_bounds = bounds_of(lists, better, worse, size);
  const std::size_t count = result.pair_bounds.size() - 1;
  for (std::size_t b = 0; b < count; ++b)
    narrow<std::uint32_t>(result.pair_bounds[b + 1] - result.pair_bounds[b], "pairs of a block");
  std::vector<Block> blocks(count);
  parallel_ranges(count, threads, [&](std::size_t first, std::size_t last) {
    BlockMaker maker(matrix, lists, better, worse);
    for (std::size_t b = first; b < last; ++b)
      blocks[b] = maker.make(b * size, std::min((b + 1) * size, lists.size()),
                             static_cast<std::size_t>(result.pair_bounds[b]));
  });

  std::vector<std::uint32_t> place(matrix.columns());
  std::size_t entries = 0, columns = 0;
  for (const Block& block : blocks) {
    for (const std::uint32_t column : block.columns) place[column] = 1;
    entries += block.pairs.size();
    columns += block.columns.size();
  }
  for (std::size_t column = 0; column < place.size(); ++column) {
    if (place[column] == 0) continue;
    place[column] = narrow<std::uint32_t>(result.used.size(), "features");
    result.used.push_back(static_cast<std::uint32_t>(column));
  }
  result.columns.reserve(columns);
  result.entry_bounds.reserve(columns + 1);
  result.pairs.reserve(entries);
  result.values.reserve(entries);
  for (Block& block : blocks) {  // each is given back at once: the peak is one copy of the entries, not two
    for (const std::uint32_t column : block.columns) result.columns.push_back(place[column]);
    for (const std::uint32_t entry_count : block.sizes)
      result.entry_bounds.push_back(result.entry_bounds.back() + entry_count);
    result.pairs.insert(result.pairs.end(), block.pairs.begin(), block.pairs.end());
    result.values.insert(result.values.end(), block.values.begin(), block.values.end());
    result.column_bounds.push_back(static_cast<std::int64_t>(result.columns.size()));
    block = {};
  }
  return result;
}

}  // namespace tunesmith
