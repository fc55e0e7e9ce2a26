#include "decoding/chart/chart.hpp"

#include <algorithm>

namespace tunesmith {

void Chart::reset(std::size_t words, std::size_t longest, Keep keep) {
  start(words, std::max<std::size_t>(1, std::min(longest, words)), keep);
}

void Chart::reset_for_appending(std::size_t words, Keep keep) {
  start(words, 0, keep);
}

void Chart::start(std::size_t words, std::size_t longest, Keep keep) {
  keep_ = keep;
  words_ = words;
  longest_ = longest;
  cells_.assign(words_ * longest_, {});
  prefixes_.assign(longest_ == 0 ? 0 : words_ + 1, {});
  hypotheses.clear();
  edges.clear();
  dense.clear();
  goal = {};
  glue = nullptr;
  glued.clear();
  arena.clear();
  beside = pops = 0;
  limited = timed_out = too_long = false;
}

}  // namespace tunesmith
