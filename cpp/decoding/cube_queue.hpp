// The corners of cubes in the order of what they promise: how searches fill a stack whose edges have one tail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoding/chart/best_scores.hpp"
#include "decoding/heap.hpp"

namespace tunesmith {

// A corner of a cube: one of its options after one of its tails, both by the number of their rank.
struct CubeCorner {
  float score;
  std::uint32_t cube;
  std::uint16_t option, tail;
};

// A cube has `origin`, what its first corner promises, and `tails`.
class CubeQueue {
 public:
  // Leaves the cubes of the best origins, which are all that can be reached.
  template <class Cube>
  static void keep_best(std::vector<Cube>& cubes, std::size_t most) {
    if (cubes.size() <= most) return;
    const auto last = cubes.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(cubes.begin(), last, cubes.end(),
                     [](const Cube& a, const Cube& b) { return a.origin > b.origin; });
    cubes.erase(last, cubes.end());
  }

  // Scores at most `most` corners, the most promising first, until `limit` of them are at least as good as what is
  // left promises (see BestScores).
  // diversity: tails of each cube that are there from the beginning.   options(cube): how many it has.
  // expect(cube, option, tail): what a corner promises.   score(corner, cube): scores it, rest of the sentence
  // included.
  template <class Cube, class Options, class Expect, class Score>
  void explore(std::vector<Cube>& cubes, std::uint32_t limit, std::uint32_t most, std::uint32_t diversity,
               Options options, Expect expect, Score score) {
    queue_.clear();
    best_.start(limit);
    for (std::uint32_t i = 0; i < cubes.size(); ++i) {
      queue_.append({cubes[i].origin, i, 0, 0});
      const std::uint32_t begun = std::min<std::uint32_t>(cubes[i].tails.size(), diversity);
      for (std::uint32_t tail = 1; tail < begun; ++tail)
        queue_.append({expect(cubes[i], 0, tail), i, 0, static_cast<std::uint16_t>(tail)});
    }
    queue_.arrange();
    for (std::uint32_t scored = 0; scored < most && !queue_.empty(); ++scored) {
      const CubeCorner corner = queue_.top();
      if (best_.enough(corner.score)) break;
      Cube& cube = cubes[corner.cube];
      best_.add(score(corner, cube));
      replace_by_neighbours(corner, cube, diversity, options, expect);
    }
  }

 private:
  struct Better {
    bool operator()(const CubeCorner& a, const CubeCorner& b) const { return a.score > b.score; }
  };

  // Each corner is pushed by exactly one other (see CubePruning), or was there from the beginning.
  template <class Cube, class Options, class Expect>
  void replace_by_neighbours(const CubeCorner& corner, const Cube& cube, std::uint32_t diversity, Options options,
                             Expect expect) {
    bool replaced = false;
    const auto push = [&](std::uint32_t option, std::uint32_t tail) {
      const CubeCorner next{expect(cube, option, tail), corner.cube, static_cast<std::uint16_t>(option),
                            static_cast<std::uint16_t>(tail)};
      if (best_.enough(next.score)) return;
      replaced ? queue_.push(next) : queue_.replace_top(next);
      replaced = true;
    };
    const bool begun = corner.option == 0 && corner.tail + 1u < diversity;
    if (corner.tail + 1u < cube.tails.size() && !begun) push(corner.option, corner.tail + 1u);
    if (corner.tail == 0 && corner.option + 1u < options(cube)) push(corner.option + 1u, 0);
    if (!replaced) queue_.pop();
  }

  Heap<CubeCorner, Better> queue_;
  BestScores best_;  // with what is expected of the rest
};

}  // namespace tunesmith
