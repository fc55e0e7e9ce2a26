#include "decoding/chart.hpp"

#include <algorithm>

namespace tunesmith {

void Chart::reset(std::size_t words, std::size_t longest, Keep keep) {
  keep_ = keep;
  words_ = words;
  longest_ = std::max<std::size_t>(1, std::min(longest, words));
  cells_.assign(words_ * longest_, {});
  prefixes_.assign(words_ + 1, {});
  hypotheses.clear();
  edges.clear();
  dense.clear();
  goal = {};
  arena.clear();
  pops = 0;
  limited = timed_out = false;
}

}  // namespace tunesmith
