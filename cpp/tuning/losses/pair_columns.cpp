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
