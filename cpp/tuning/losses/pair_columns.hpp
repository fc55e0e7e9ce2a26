// Differences of ranked pairs, column by column: the loss of pairs for fits that go over them many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tuning/losses/margin_loss.hpp"

namespace tunesmith {

// Pairs are cut into blocks of neighbouring sentences, the blocks of gradient_blocks.hpp. Of each block the
// entries of better - worse are stored by column: a fit reads weights and writes slopes in rising order, and what
// it meets in any order is the pairs of one block, which stay in the cache. Columns are places among those that
// are not 0 in some pair, so that nothing here grows with the number of features. Values are single precision.
//
// Block b has the pairs [pair_bounds[b], pair_bounds[b + 1]) and the columns [column_bounds[b], column_bounds[b +
// 1]); column i of them has the number columns[i], rising in a block, and the entries [entry_bounds[i],
// entry_bounds[i + 1]) of `pairs`, places in the block that rise, and `values`.
struct PairColumns {
  std::span<const std::int64_t> pair_bounds, column_bounds;
  std::span<const std::uint32_t> columns;
  std::span<const std::int64_t> entry_bounds;
  std::span<const std::uint32_t> pairs;
  std::span<const float> values;
  std::size_t width = 0;  // numbers of columns are below it

  std::size_t blocks() const { return pair_bounds.size() - 1; }
  std::size_t size() const { return static_cast<std::size_t>(pair_bounds.back()); }
};

// Throws Error unless bounds rise and end with the number of what they divide, numbers are in their ranges, and
// values finite.
void check_pair_columns(const PairColumns& columns);

// The sum of the losses of all pairs, each times its weight; its gradient, `width` numbers, in `gradient`. Blocks
// are added in a tree (tree_sums.hpp). Pairs of weight 0 are left out.
double pair_sums(const PairColumns& columns, std::span<const double> weights, PairLossKind kind, double smoothing,
                 std::span<const double> w, std::span<double> gradient, int threads);

// The sum of the squares of each column, each pair as often as it counts, added in the same way.
void pair_squares(const PairColumns& columns, std::span<const double> weights, std::span<double> squares,
                  int threads);

}  // namespace tunesmith
