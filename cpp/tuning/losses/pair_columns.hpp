// Differences of ranked pairs, column by column: the loss of pairs for fits that go over them many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "tuning/losses/margin_loss.hpp"

namespace tunesmith {

// Pairs are cut into blocks of neighbouring sentences, the blocks of gradient_blocks.hpp. Of each block the
// entries of better - worse are stored by column: a fit reads weights and writes slopes in rising order, and what
// it meets in any order is the pairs of one block, which stay in the cache. Columns are places among those that
// are not 0 in some pair, so that nothing here grows with the number of features.
//
// Block b has the pairs [pair_bounds[b], pair_bounds[b + 1]) and the columns [column_bounds[b], column_bounds[b +
// 1]); column i of them has the number columns[i], rising in a block, and the entries [entry_bounds[i],
// entry_bounds[i + 1]) of `pairs`, places in the block that rise. The entries of a column have numbers in `counts`
// where the column is whole, all small whole numbers in all pairs, as most are; otherwise in `values`, in single
// precision. Either are those of one column after the other; block b has `values` from value_bounds[b] on.
// So an entry takes 3 bytes as a rule.
struct PairColumns {
  // Places in a block of up to 2^16 pairs, or in longer ones.
  using Pairs = std::variant<std::span<const std::uint16_t>, std::span<const std::uint32_t>>;

  std::span<const std::int64_t> pair_bounds, column_bounds;
  std::span<const std::uint32_t> columns;
  std::span<const std::int64_t> entry_bounds;
  Pairs pairs;
  std::span<const std::uint8_t> whole;  // by the number of a column
  std::span<const std::int8_t> counts;
  std::span<const std::int64_t> value_bounds;
  std::span<const float> values;

  std::size_t width() const { return whole.size(); }  // numbers of columns are below it
  std::size_t blocks() const { return pair_bounds.size() - 1; }
  std::size_t size() const { return static_cast<std::size_t>(pair_bounds.back()); }
  std::size_t entries() const {
    return std::visit([](const auto& places) { return places.size(); }, pairs);
  }
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
