#include "tuning/losses/tree_sums.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "search/matrices/distinct_columns.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t width = 1024;  // columns at once, so that the rows of a group stay in the cache
constexpr std::size_t stretch = 64;  // numbers that are read together

SparseSum merged(const SparseSum& one, const SparseSum& two) {
  SparseSum sum;
  sum.ids.reserve(one.ids.size() + two.ids.size());
  sum.values.reserve(sum.ids.capacity());
  const auto put = [&](std::uint32_t id, double value) {
    sum.ids.push_back(id);
    sum.values.push_back(value);
  };
  std::size_t i = 0, j = 0;
  while (i < one.ids.size() && j < two.ids.size()) {
    if (one.ids[i] == two.ids[j]) {
      put(one.ids[i], one.values[i] + two.values[j]);
      ++i, ++j;
    } else if (one.ids[i] < two.ids[j]) {
      put(one.ids[i], one.values[i]), ++i;
    } else {
      put(two.ids[j], two.values[j]), ++j;
    }
  }
  for (; i < one.ids.size(); ++i) put(one.ids[i], one.values[i]);
  for (; j < two.ids.size(); ++j) put(two.ids[j], two.values[j]);
  return sum;
}

std::size_t entries_of(std::span<const SparseSum> nodes) {
  std::size_t entries = 0;
  for (const SparseSum& node : nodes) entries += node.ids.size();
  return entries;
}

// The sum of at most `nodes_together` nodes.
void add_group(std::span<const SparseSum> nodes, std::span<double> out, int threads) {
  parallel_ranges((out.size() + width - 1) / width, threads, [&](std::size_t first, std::size_t last) {
    std::vector<double> rows(nodes.size() * width);
    std::vector<std::size_t> at(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
      at[n] = static_cast<std::size_t>(std::lower_bound(nodes[n].ids.begin(), nodes[n].ids.end(), first * width) -
                                       nodes[n].ids.begin());
    for (std::size_t begin = first * width; begin < std::min(last * width, out.size()); begin += width) {
      const std::size_t end = std::min(begin + width, out.size());
      std::fill(rows.begin(), rows.end(), 0.0);
      for (std::size_t n = 0; n < nodes.size(); ++n)
        for (; at[n] < nodes[n].ids.size() && nodes[n].ids[at[n]] < end; ++at[n])
          rows[n * width + nodes[n].ids[at[n]] - begin] = nodes[n].values[at[n]];
      for (std::size_t step = 1; step < nodes.size(); step *= 2)
        for (std::size_t n = 0; n + step < nodes.size(); n += 2 * step)
          for (std::size_t i = 0; i < end - begin; ++i) rows[n * width + i] += rows[(n + step) * width + i];
      std::copy_n(rows.begin(), end - begin, out.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  });
}

// The sum of at most `nodes_together` nodes that have fewer entries than there are columns; the nodes are used up.
// Very few entries are merged two nodes at a time; otherwise the columns that some node has are numbered first.
SparseSum merged_group(std::span<SparseSum> nodes, std::size_t columns, int threads) {
  constexpr std::size_t very_few = 32;  // columns for each entry
  if (entries_of(nodes) * very_few < columns) {
    for (std::size_t step = 1; step < nodes.size(); step *= 2) {
      const std::size_t pairs = (nodes.size() - step + 2 * step - 1) / (2 * step);
      parallel_ranges(pairs, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = 2 * step * begin; n < 2 * step * end; n += 2 * step)
          nodes[n] = merged(nodes[n], nodes[n + step]);
      });
    }
    return std::move(nodes.front());
  }
  DistinctColumns used;
  used.grow(columns);
  for (const SparseSum& node : nodes)
    for (const std::uint32_t id : node.ids) used.add(id);
  SparseSum sum;
  std::vector<std::uint32_t> places(columns);
  used.visit_rising([&](std::uint32_t id) {
    places[id] = narrow<std::uint32_t>(sum.ids.size(), "features");
    sum.ids.push_back(id);
  });
  for (SparseSum& node : nodes)
    for (std::uint32_t& id : node.ids) id = places[id];
  sum.values.resize(sum.ids.size());
  add_group(nodes, sum.values, threads);
  return sum;
}

}  // namespace

void SparseSum::take(std::span<double> sum) {
  for (std::size_t begin = 0; begin < sum.size(); begin += stretch) {
    const auto part = sum.subspan(begin, std::min(stretch, sum.size() - begin));
    bool any = false;
    for (const double value : part) any |= value != 0;
    if (!any) continue;
    for (std::size_t i = 0; i < part.size(); ++i)
      if (part[i] != 0) {
        ids.push_back(static_cast<std::uint32_t>(begin + i));
        values.push_back(part[i]);
        part[i] = 0;
      }
  }
}

void add_in_tree(std::vector<SparseSum> nodes, std::span<double> out, int threads) {
  if (nodes.size() > nodes_together) {
    std::fill(out.begin(), out.end(), 0.0);
    TreeSum higher;
    for (auto at = nodes.begin(); at != nodes.end();) {
      const auto end = at + std::min<std::ptrdiff_t>(nodes_together, nodes.end() - at);
      higher.add({std::make_move_iterator(at), std::make_move_iterator(end)}, out, threads);
      at = end;
    }
    return higher.finish(out, threads);
  }
  if (!nodes.empty() && entries_of(nodes) >= out.size()) return add_group(nodes, out, threads);
  std::fill(out.begin(), out.end(), 0.0);
  if (nodes.empty()) return;
  const SparseSum sum = merged_group(nodes, out.size(), threads);
  for (std::size_t i = 0; i < sum.ids.size(); ++i) out[sum.ids[i]] = sum.values[i];
}

double added_in_tree(std::vector<double> nodes) {
  for (std::size_t step = 1; step < nodes.size(); step *= 2)
    for (std::size_t n = 0; n + step < nodes.size(); n += 2 * step) nodes[n] += nodes[n + step];
  return nodes.empty() ? 0.0 : nodes.front();
}

void TreeSum::add(std::vector<SparseSum> nodes, std::span<double> space, int threads) {
  if (nodes.empty()) return;
  if (entries_of(nodes) < space.size()) return above_.push_back(merged_group(nodes, space.size(), threads));
  add_group(nodes, space, threads);
  above_.emplace_back().take(space);
}

void TreeSum::finish(std::span<double> out, int threads) {
  add_in_tree(std::exchange(above_, {}), out, threads);
}

}  // namespace tunesmith
