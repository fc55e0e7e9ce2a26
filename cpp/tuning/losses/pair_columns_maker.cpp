#include "tuning/losses/pair_columns_maker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/give_back.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "search/matrices/distinct_columns.hpp"
#include "tuning/losses/gradient_blocks.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {
namespace {

// The entries of one block, with columns of the matrix: those of whole columns in `counts`, others in `values`.
template <class Place>
struct Block {
  std::vector<std::uint32_t> columns, sizes;
  std::vector<std::uint8_t> whole;  // whether the column is, in this block
  std::vector<Place> pairs;
  std::vector<std::int8_t> counts;
  std::vector<float> values;
};

bool is_count(float value) {
  return std::abs(value) <= 127 && value == std::trunc(value);
}

// Makes blocks, one after the other; one for each thread.
template <class Place>
class BlockMaker {
 public:
  BlockMaker(const CandidateMatrix& matrix, const Lists& lists, std::span<const std::int64_t> better,
             std::span<const std::int64_t> worse)
      : matrix_(matrix), lists_(lists), better_(better), worse_(worse), place_(matrix.columns()) {
    seen_.grow(matrix.columns());
  }

  // first_pair: of the sentences [from, to).
  Block<Place> make(std::size_t from, std::size_t to, std::size_t first_pair) {
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
  Block<Place> by_column() {
    Block<Place> block;
    block.columns.assign(seen_.ids().begin(), seen_.ids().end());
    std::sort(block.columns.begin(), block.columns.end());
    for (std::size_t i = 0; i < block.columns.size(); ++i)
      place_[block.columns[i]] = static_cast<std::uint32_t>(i);
    block.sizes.resize(block.columns.size());
    block.whole.assign(block.columns.size(), 1);
    for (const Entry& entry : entries_) {
      ++block.sizes[place_[entry.column]];
      block.whole[place_[entry.column]] &= static_cast<std::uint8_t>(is_count(entry.value));
    }
    std::vector<std::size_t> next(block.columns.size()), next_number(next.size());
    std::size_t entries = 0, counts = 0, values = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = std::exchange(entries, entries + block.sizes[i]);
      std::size_t& numbers = block.whole[i] ? counts : values;
      next_number[i] = std::exchange(numbers, numbers + block.sizes[i]);
    }
    block.pairs.resize(entries);
    block.counts.resize(counts);
    block.values.resize(values);
    for (const Entry& entry : entries_) {
      const std::size_t i = place_[entry.column];
      block.pairs[next[i]++] = static_cast<Place>(entry.pair);
      if (block.whole[i])
        block.counts[next_number[i]++] = static_cast<std::int8_t>(entry.value);
      else
        block.values[next_number[i]++] = entry.value;
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

// Puts blocks together, and gives each back at once.   place: of each column of the matrix.
template <class Place>
void join(std::vector<Block<Place>>& blocks, const std::vector<std::uint32_t>& place, StoredPairColumns& result) {
  auto& pairs = result.pairs.emplace<std::vector<Place>>();
  std::size_t entries = 0, columns = 0, values = 0;
  for (const Block<Place>& block : blocks) {
    entries += block.pairs.size();
    columns += block.columns.size();
    for (std::size_t i = 0; i < block.columns.size(); ++i)
      if (!result.whole[place[block.columns[i]]]) values += block.sizes[i];
  }
  result.columns.reserve(columns);
  result.entry_bounds.reserve(columns + 1);
  pairs.reserve(entries);
  result.counts.reserve(entries - values);
  result.values.reserve(values);
  for (Block<Place>& block : blocks) {
    auto count = block.counts.begin();
    auto value = block.values.begin();
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      const std::uint32_t column = place[block.columns[i]];
      const auto size = static_cast<std::ptrdiff_t>(block.sizes[i]);
      result.columns.push_back(column);
      result.entry_bounds.push_back(result.entry_bounds.back() + size);
      if (!block.whole[i]) {
        result.values.insert(result.values.end(), value, value + size);
        value += size;
        continue;
      }
      if (result.whole[column])
        result.counts.insert(result.counts.end(), count, count + size);
      else
        result.values.insert(result.values.end(), count, count + size);
      count += size;
    }
    pairs.insert(pairs.end(), block.pairs.begin(), block.pairs.end());
    result.column_bounds.push_back(static_cast<std::int64_t>(result.columns.size()));
    result.value_bounds.push_back(static_cast<std::int64_t>(result.values.size()));
    block = {};
    give_back_memory();
  }
}

template <class Place>
void make_blocks(const CandidateMatrix& matrix, const Lists& lists, std::span<const std::int64_t> better,
                 std::span<const std::int64_t> worse, std::size_t size, int threads, StoredPairColumns& result) {
  std::vector<Block<Place>> blocks(result.pair_bounds.size() - 1);
  parallel_ranges(blocks.size(), threads, [&](std::size_t first, std::size_t last) {
    BlockMaker<Place> maker(matrix, lists, better, worse);
    for (std::size_t b = first; b < last; ++b)
      blocks[b] = maker.make(b * size, std::min((b + 1) * size, lists.size()),
                             static_cast<std::size_t>(result.pair_bounds[b]));
  });
  constexpr std::uint32_t used = 1, not_whole = 2;
  std::vector<std::uint32_t> place(matrix.columns());
  for (const Block<Place>& block : blocks)
    for (std::size_t i = 0; i < block.columns.size(); ++i)
      place[block.columns[i]] |= block.whole[i] ? used : used | not_whole;
  for (std::size_t column = 0; column < place.size(); ++column) {
    if (place[column] == 0) continue;
    result.whole.push_back(place[column] & not_whole ? 0 : 1);
    place[column] = narrow<std::uint32_t>(result.used.size(), "features");
    result.used.push_back(static_cast<std::uint32_t>(column));
  }
  join(blocks, place, result);
}

}  // namespace

PairColumns StoredPairColumns::view() const {
  const auto places = std::visit([](const auto& all) { return PairColumns::Pairs(std::span(all)); }, pairs);
  return {pair_bounds, column_bounds, columns, entry_bounds, places, whole, counts, value_bounds, values};
}

StoredPairColumns make_pair_columns(const CandidateMatrix& matrix, const Lists& lists,
                                    std::span<const std::int64_t> better, std::span<const std::int64_t> worse,
                                    std::size_t a_block, int threads) {
  if (better.size() != worse.size()) throw Error("there must be as many better as worse candidates");
  if (matrix.rows() != lists.rows()) throw Error("the lists do not belong to the matrix");
  const std::size_t size = a_block == 0 ? sentences_a_block(lists.size()) : a_block;
  StoredPairColumns result;
  result.pair_bounds = bounds_of(lists, better, worse, size);
  std::int64_t most = 0;
  for (std::size_t b = 0; b + 1 < result.pair_bounds.size(); ++b)
    most = std::max(most, result.pair_bounds[b + 1] - result.pair_bounds[b]);
  narrow<std::uint32_t>(most, "pairs of a block");
  const bool few = most <= std::int64_t{1} << 16;
  const auto make = few ? make_blocks<std::uint16_t> : make_blocks<std::uint32_t>;
  make(matrix, lists, better, worse, size, threads, result);
  return result;
}

}  // namespace tunesmith
