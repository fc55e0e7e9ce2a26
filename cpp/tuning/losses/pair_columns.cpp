#include "tuning/losses/pair_columns.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/parallel.hpp"
#include "tuning/losses/tree_sums.hpp"

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

// Calls `visit(i, id, places, numbers)` for each column of a block, in order: its place among those of all blocks,
// its number, and its entries, with whole numbers or others.
template <class Place, class Visit>
void for_each_column(const PairColumns& c, std::span<const Place> pairs, std::size_t b, Visit visit) {
  const std::size_t first = at(c.column_bounds, b), last = at(c.column_bounds, b + 1);
  const Place* places = pairs.data() + at(c.entry_bounds, first);
  const float* value = c.values.data() + at(c.value_bounds, b);
  const std::int8_t* count = c.counts.data() + (at(c.entry_bounds, first) - at(c.value_bounds, b));
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t size = at(c.entry_bounds, i + 1) - at(c.entry_bounds, i);
    const std::span<const Place> of_column(places, size);
    places += size;
    if (c.whole[c.columns[i]]) {
      visit(i - first, c.columns[i], of_column, count);
      count += size;
    } else {
      visit(i - first, c.columns[i], of_column, value);
      value += size;
    }
  }
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
  check_bounds(c.entry_bounds, c.entries(), "entries");
  if (c.value_bounds.size() != c.pair_bounds.size())
    throw Error("there must be as many bounds of values as of pairs");
  check_bounds(c.value_bounds, c.values.size(), "values");
  if (c.values.size() + c.counts.size() != c.entries()) throw Error("there must be a value for each entry");
  if (!all_finite(c.values)) throw Error("values of pairs must be finite numbers");
  for (std::size_t b = 0; b < c.blocks(); ++b) {
    std::int64_t values = 0;
    for (std::size_t i = at(c.column_bounds, b); i < at(c.column_bounds, b + 1); ++i) {
      if (c.columns[i] >= c.width() || (i > at(c.column_bounds, b) && c.columns[i] <= c.columns[i - 1]))
        throw Error("columns of a block must rise and be below " + std::to_string(c.width()));
      if (!c.whole[c.columns[i]]) values += c.entry_bounds[i + 1] - c.entry_bounds[i];
    }
    if (values != c.value_bounds[b + 1] - c.value_bounds[b])
      throw Error("a block has not as many values as entries of columns that are not whole");
    const auto begin = c.entry_bounds[at(c.column_bounds, b)], end = c.entry_bounds[at(c.column_bounds, b + 1)];
    const std::size_t pairs = at(c.pair_bounds, b + 1) - at(c.pair_bounds, b);
    std::visit(
        [&](const auto& places) {
          const auto inside = [&](auto place) { return place < pairs; };
          if (!std::all_of(places.begin() + begin, places.begin() + end, inside))
            throw Error("an entry is of a pair that its block does not have");
        },
        c.pairs);
  }
}

double pair_sums(const PairColumns& c, std::span<const double> weights, PairLossKind kind, double smoothing,
                 std::span<const double> w, std::span<double> gradient, int threads) {
  if (weights.size() != c.size()) throw Error("there must be a weight for every pair");
  if (w.size() != c.width() || gradient.size() != c.width())
    throw Error(std::to_string(w.size()) + " weights for " + std::to_string(c.width()) + " features");
  const auto sums = [&](auto pairs) {
    return add_blocks(c, gradient, threads, [&](std::size_t b, SparseSum& node, std::vector<double>& margins) {
      const std::size_t first = at(c.pair_bounds, b), count = at(c.pair_bounds, b + 1) - first;
      margins.assign(count, 0.0);
      for_each_column(c, pairs, b, [&](std::size_t, std::uint32_t id, auto places, const auto* numbers) {
        const double weight = w[id];
        if (weight == 0) return;
        for (std::size_t e = 0; e < places.size(); ++e)
          margins[places[e]] += static_cast<double>(numbers[e]) * weight;
      });
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
      for_each_column(c, pairs, b, [&](std::size_t i, std::uint32_t, auto places, const auto* numbers) {
        double sum = 0;
        for (std::size_t e = 0; e < places.size(); ++e)
          sum += static_cast<double>(numbers[e]) * margins[places[e]];
        node.values[i] = sum;
      });
      return value;
    });
  };
  return std::visit(sums, c.pairs);
}

void pair_squares(const PairColumns& c, std::span<const double> weights, std::span<double> squares, int threads) {
  if (weights.size() != c.size()) throw Error("there must be a weight for every pair");
  if (squares.size() != c.width()) throw Error("there must be a place for every feature");
  const auto sums = [&](auto pairs) {
    add_blocks(c, squares, threads, [&](std::size_t b, SparseSum& node, std::vector<double>&) {
      const std::size_t first = at(c.pair_bounds, b);
      for_each_column(c, pairs, b, [&](std::size_t i, std::uint32_t, auto places, const auto* numbers) {
        double sum = 0;
        for (std::size_t e = 0; e < places.size(); ++e) {
          const auto value = static_cast<double>(numbers[e]);
          sum += weights[first + places[e]] * value * value;
        }
        node.values[i] = sum;
      });
      return 0.0;
    });
  };
  std::visit(sums, c.pairs);
}

}  // namespace tunesmith
