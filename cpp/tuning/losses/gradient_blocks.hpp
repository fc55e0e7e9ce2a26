// Sums over sentences whose bytes do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.hpp"

namespace tunesmith {

// Calls `work(sentence, gradient)` for every sentence, which returns the sentence's value and adds to the
// gradient; gives the sum of values, and the sum of gradients in `gradient`. Sentences are cut into blocks by
// their number and the number of weights alone; each block has its own gradient, and blocks are added in order.
// Many weights have few blocks, so that memory stays small. `make_work()` is called once per thread.
template <class MakeWork>
double sum_over_sentences(std::size_t sentences, std::span<double> gradient, int threads, MakeWork make_work) {
  const std::size_t most = gradient.size() <= 100'000 ? 16 : gradient.size() <= 4'000'000 ? 4 : 2;
  const std::size_t blocks = std::clamp<std::size_t>(sentences / 16, 1, most);
  std::vector<double> values(sentences);
  std::vector<std::vector<double>> sums(blocks - 1);  // the first block has `gradient` itself
  std::fill(gradient.begin(), gradient.end(), 0.0);
  parallel_ranges(blocks, threads, [&](std::size_t begin, std::size_t end) {
    auto work = make_work();
    for (std::size_t block = begin; block < end; ++block) {
      std::span<double> sum = gradient;
      if (block > 0) {
        sums[block - 1].assign(gradient.size(), 0.0);
        sum = sums[block - 1];
      }
      for (std::size_t s = sentences * block / blocks; s < sentences * (block + 1) / blocks; ++s)
        values[s] = work(s, sum);
    }
  });
  for (const std::vector<double>& sum : sums)
    for (std::size_t i = 0; i < sum.size(); ++i) gradient[i] += sum[i];
  double total = 0;
  for (double value : values) total += value;
  return total;
}

}  // namespace tunesmith
