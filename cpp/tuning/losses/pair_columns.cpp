#include "tuning/losses/pair_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "search/matrices/distinct_columns.hpp"
#include "tuning/losses/gradient_blocks.hpp"
#include "tuning/losses/tree_sums.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {
namespace {

std::size_t at(std::span<const std::int64_t> bounds, std::size_t i) {
  return static_cast<std::size_t>(bounds[i]);
}

void check_bounds(std::span<const std::int64_t> bounds, std::size_t items, const char* what) {
  if (bounds.empty() || bounds.front() != 0 || bounds.back() != static_cast<std::int64_t>(items) ||
      !std::is_sorted(bounds.begin(), bounds.end()))
    throw Error("bounds of " + std::string(what) + " must rise from 0 to their number, " + std::to_string(items));
}

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

// Calls make(block, node) for every block, which fills the node's values, one for each column of the block, and
// gives a number; the nodes are added in a tree to `out`, and the numbers to what is given back.
template <class MakeNode>
double add_blocks(const PairColumns& c, std::span<double> out, int threads, MakeNode make) {
  std::vector<double> numbers(c.blocks());
  TreeSum all;
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t first = 0; first < c.blocks(); first += nodes_together) {
    std::vector<SparseSum> nodes(std::min(c.blocks() - first, nodes_together));
    parallel_ranges(nodes.size(), threads, [&](std::size_t begin, std::size_t end) {
      std::vector<double> margins;
      for (std::size_t n = begin; n < end; ++n) {
        const std::size_t b = first + n;
        const auto ids =
            c.columns.subspan(at(c.column_bounds, b), at(c.column_bounds, b + 1) - at(c.column_bounds, b));
        nodes[n].ids.assign(ids.begin(), ids.end());
        nodes[n].values.resize(ids.size());
        numbers[b] = make(b, nodes[n], margins);
      }
    });
    if (c.blocks() <= nodes_together) {
      add_in_tree(std::move(nodes), out, threads);
      return added_in_tree(std::move(numbers));
    }
    all.add(std::move(nodes), out, threads);
  }
  if (c.blocks() > 0) all.finish(out, threads);
  return added_in_tree(std::move(numbers));
}

}  // namespace

void check_pair_columns(const PairColumns& c) {
  if (c.pair_bounds.empty() || c.column_bounds.size() != c.pair_bounds.size())
    throw Error("there must be as many bounds of columns as of pairs");
  if (c.pair_bounds.front() != 0 || !std::is_sorted(c.pair_bounds.begin(), c.pair_bounds.end()))
    throw Error("bounds of pairs must rise from 0");
  check_bounds(c.column_bounds, c.columns.size(), "columns");
  if (c.entry_bounds.size() != c.columns.size() + 1)
    throw Error("there must be a bound of entries for each column");
  check_bounds(c.entry_bounds, c.pairs.size(), "entries");
  if (c.values.size() != c.pairs.size()) throw Error("there must be a value for each entry");
  if (!all_finite(c.values)) throw Error("values of pairs must be finite numbers");
  for (std::size_t b = 0; b < c.blocks(); ++b) {
    const std::size_t pairs = at(c.pair_bounds, b + 1) - at(c.pair_bounds, b);
    for (std::size_t i = at(c.column_bounds, b); i < at(c.column_bounds, b + 1); ++i) {
      if (c.columns[i] >= c.width || (i > at(c.column_bounds, b) && c.columns[i] <= c.columns[i - 1]))
        throw Error("columns of a block must rise and be below " + std::to_string(c.width));
      for (std::size_t e = at(c.entry_bounds, i); e < at(c.entry_bounds, i + 1); ++e)
        if (c.pairs[e] >= pairs) throw Error("an entry is of a pair that its block does not have");
    }
  }
}

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

double pair_sums(const PairColumns& c, std::span<const double> weights, PairLossKind kind, double smoothing,
                 std::span<const double> w, std::span<double> gradient, int threads) {
  if (weights.size() != c.size()) throw Error("there must be a weight for every pair");
  if (w.size() != c.width || gradient.size() != c.width)
    throw Error(std::to_string(w.size()) + " weights for " + std::to_string(c.width) + " features");
  return add_blocks(c, gradient, threads, [&](std::size_t b, SparseSum& node, std::vector<double>& margins) {
    const std::size_t first = at(c.pair_bounds, b), count = at(c.pair_bounds, b + 1) - first;
    const std::size_t begin = at(c.column_bounds, b), columns = node.ids.size();
    margins.assign(count, 0.0);
    for (std::size_t i = 0; i < columns; ++i) {
      const double weight = w[node.ids[i]];
      if (weight == 0) continue;
      for (std::size_t e = at(c.entry_bounds, begin + i); e < at(c.entry_bounds, begin + i + 1); ++e)
        margins[c.pairs[e]] += static_cast<double>(c.values[e]) * weight;
    }
    double value = 0;
    for (std::size_t p = 0; p < count; ++p) {  // slopes in place of margins
      const double weight = weights[first + p];
      if (weight == 0) {
        margins[p] = 0;
        continue;
      }
      const MarginLoss loss = margin_loss(kind, margins[p], smoothing);
      value += weight * loss.value;
      margins[p] = weight * loss.slope;
    }
    for (std::size_t i = 0; i < columns; ++i) {
      double sum = 0;
      for (std::size_t e = at(c.entry_bounds, begin + i); e < at(c.entry_bounds, begin + i + 1); ++e)
        sum += static_cast<double>(c.values[e]) * margins[c.pairs[e]];
      node.values[i] = sum;
    }
    return value;
  });
}

void pair_squares(const PairColumns& c, std::span<const double> weights, std::span<double> squares, int threads) {
  if (weights.size() != c.size()) throw Error("there must be a weight for every pair");
  if (squares.size() != c.width) throw Error("there must be a place for every feature");
  add_blocks(c, squares, threads, [&](std::size_t b, SparseSum& node, std::vector<double>&) {
    const std::size_t first = at(c.pair_bounds, b), begin = at(c.column_bounds, b);
    for (std::size_t i = 0; i < node.ids.size(); ++i) {
      double sum = 0;
      for (std::size_t e = at(c.entry_bounds, begin + i); e < at(c.entry_bounds, begin + i + 1); ++e) {
        const auto value = static_cast<double>(c.values[e]);
        sum += weights[first + c.pairs[e]] * value * value;
      }
      node.values[i] = sum;
    }
    return 0.0;
  });
}

}  // namespace tunesmith
