// Sums over sentences whose bytes depend neither on the number of threads nor on how many processes share them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.hpp"
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
// bytes. a_block: sentences of a block, 0 for what their number says. `make_work()` is called for every thread and
// 32 blocks. Each thread has one vector of the size of the gradient; of a block's sum only what is not 0 is kept.
template <class MakeWork>
double sum_over_sentences(std::size_t sentences, std::span<double> gradient, int threads, MakeWork make_work,
                          std::size_t a_block = 0) {
  constexpr std::size_t together = 32;
  const std::size_t size = a_block == 0 ? sentences_a_block(sentences) : a_block;
  const std::size_t blocks = (sentences + size - 1) / size;
  std::vector<double> values(blocks);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  TreeSum all;
  for (std::size_t first = 0; first < blocks; first += together) {
    std::vector<SparseSum> nodes(std::min(blocks - first, together));
    parallel_ranges(nodes.size(), threads, [&](std::size_t begin, std::size_t end) {
      auto work = make_work();
      std::vector<double> sum(gradient.size());
      for (std::size_t n = begin; n < end; ++n) {
        double value = 0;
        for (std::size_t s = (first + n) * size; s < std::min(sentences, (first + n + 1) * size); ++s)
          value += work(s, std::span<double>(sum));
        values[first + n] = value;
        nodes[n].take(sum);
      }
    });
    all.add(std::move(nodes), gradient, threads);
  }
  all.finish(gradient, threads);
  return added_in_tree(std::move(values));
}

}  // namespace tunesmith
