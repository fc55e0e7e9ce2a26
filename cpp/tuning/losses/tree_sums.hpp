// Sums of many sparse vectors in a fixed binary tree, so that parts of them may be added anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/noted_sum.hpp"

namespace tunesmith {

// Nodes of a level are added two by two: 0 + 1, 2 + 3, …, then the next level the same; the last of an odd number
// moves up as it is. So the sum of 2^k neighbours that begin at a multiple of 2^k is a node of the tree.

// Nodes of one level that are added at once.
inline constexpr std::size_t nodes_together = 32;

// Entries of a vector by rising number; what is not among them is 0.
struct SparseSum {
  std::vector<std::uint32_t> ids;
  std::vector<double> values;

  // Takes them out of a vector, which is 0 afterwards.
  void take(std::span<double> sum);
  void take(NotedSum& sum) { sum.take(ids, values); }
};

// Writes the sum of the nodes to `out`.
void add_in_tree(std::vector<SparseSum> nodes, std::span<double> out, int threads);
double added_in_tree(std::vector<double> nodes);

// Nodes of one level, added as far as they can be while more of them come: at most `nodes_together` wait at every
// level.
class TreeSum {
 public:
  // nodes: the next `nodes_together` of the lowest level, fewer only for the last ones. `space` is 0 before and
  // afterwards.
  void add(std::vector<SparseSum> nodes, std::span<double> space, int threads);
  // Writes the sum of all to `out`.
  void finish(std::span<double> out, int threads);

 private:
  std::vector<SparseSum> above_;  // each the sum of `nodes_together` nodes
};

}  // namespace tunesmith
