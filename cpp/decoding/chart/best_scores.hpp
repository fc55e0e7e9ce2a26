// When a cell or a stack is left: enough edges are scored that are at least as good as any other is expected to
// be.
#pragma once

#include <cstddef>
#include <functional>

#include "decoding/heap.hpp"

namespace tunesmith {

// The best scores so far. Features across rules may make an edge worse than its estimate, so it is not
// enough to score the same number of edges: as many must be at least as good as the estimates of the rest.
class BestScores {
 public:
  void start(std::size_t limit) {
    limit_ = limit;
    best_.clear();
  }
  void add(float score) {
    if (best_.size() < limit_)
      best_.push(score);
    else if (score > best_.top())
      best_.replace_top(score);
  }
  // Whether enough edges are known to be at least this good.
  bool enough(float score) const { return best_.size() == limit_ && best_.top() >= score; }

 private:
  std::size_t limit_ = 0;
  Heap<float, std::less<>> best_;  // the worst of them on top
};

}  // namespace tunesmith
