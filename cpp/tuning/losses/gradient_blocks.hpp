// Sums over sentences whose bytes depend neither on the number of threads nor on how many processes share them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "search/matrices/noted_sum.hpp"
#include "tuning/losses/tree_sums.hpp"

namespace tunesmith {

// Sentences of a block, by their number alone: there are 32 blocks, fewer for few sentences, and more where a
// block would have more than 4096.
inline std::size_t sentences_a_block(std::size_t sentences) {
  return std::clamp<std::size_t>((sentences + 31) / 32, 16, 4096);
}

// Calls `work(sentence, gradient)` for every sentence, which returns the sentence's value and adds to the
// gradient; gives the sum of values, and the sum of gradients in `gradient`. Each block is a node of the tree of
// tree_sums.hpp, so that 2^k blocks which begin at a multiple of 2^k may be added somewhere else, with the same
// bytes. `make_work()` is called for every thread and group of blocks. Each thread has one vector of the size of
// the gradient; of a block's sum only what is not 0 is kept.
// a_block: sentences of a block, 0 for what their number says.
// Work that takes a NotedSum as well is given one where looking at every column would cost more than the work; the
// sum is the same.
template <class MakeWork>
double sum_over_sentences(std::size_t sentences, std::span<double> gradient, int threads, MakeWork make_work,
                          std::size_t a_block = 0) {
  using Work = decltype(make_work());
  constexpr std::size_t few_columns = 20'000;
  const std::size_t size = a_block == 0 ? sentences_a_block(sentences) : a_block;
  const std::size_t blocks = (sentences + size - 1) / size;
  std::vector<double> values(blocks);
  std::vector<SparseSum> nodes;
  TreeSum all;
  if (blocks > nodes_together)
    std::fill(gradient.begin(), gradient.end(), 0.0);  // it is space for sums of several blocks
  for (std::size_t first = 0; first < blocks; first += nodes_together) {
    nodes.assign(std::min(blocks - first, nodes_together), {});
    parallel_ranges(nodes.size(), threads, [&](std::size_t begin, std::size_t end) {
      auto work = make_work();
      // Calls take(node) after the sentences of each block have been added to `sum`.
      const auto add_blocks = [&](auto&& sum, auto take) {
        for (std::size_t n = begin; n < end; ++n) {
          const std::size_t from = (first + n) * size, to = std::min(sentences, from + size);
          double value = 0;
          for (std::size_t s = from; s < to; ++s) value += work(s, sum);
          values[first + n] = value;
          take(nodes[n]);
        }
      };
      if constexpr (std::is_invocable_v<Work&, std::size_t, NotedSum&>) {
        if (gradient.size() > few_columns) {
          NotedSum sum(gradient.size());
          return add_blocks(sum, [&](SparseSum& node) { node.take(sum); });
        }
      }
      std::vector<double> sum(gradient.size());
      add_blocks(std::span<double>(sum), [&](SparseSum& node) { node.take(sum); });
    });
    if (blocks > nodes_together) all.add(std::move(nodes), gradient, threads);
  }
  if (blocks > nodes_together)
    all.finish(gradient, threads);
  else
    add_in_tree(std::move(nodes), gradient, threads);
  return added_in_tree(std::move(values));
}

}  // namespace tunesmith
