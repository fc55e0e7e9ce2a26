// Which weight is in which moving group.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuning/online/moving_groups.hpp"

namespace tunesmith {

// Groups that merge are linked and not relabelled (union-find): a weight finds its group by following links, and
// then points to it directly. Links carry the difference of the sums over samples, so that every weight has its
// own sum however often its group was merged. The number of a group is given back when nothing points to it any
// more.
class GroupMembers {
 public:
  // All weights are 0.
  GroupMembers(std::size_t weights, MovingGroups& groups) : groups_(groups), codes_(weights), sums_(weights) {}

  std::size_t size() const { return codes_.size(); }
  bool negative(std::size_t weight) const { return (codes_[weight] & sign) != 0; }
  // The group of a weight, none for one that is 0.
  MovingGroups::Id group(std::size_t weight) {
    const std::uint32_t code = codes_[weight] & ~sign;
    if (code == 0) return MovingGroups::none;
    return nodes_[code - 1].parent == code - 1 ? code - 1 : find(weight);
  }
  double value(std::size_t weight) {
    const MovingGroups::Id id = group(weight);
    if (id == MovingGroups::none) return 0;
    const double size = std::max(groups_.value(id), 0.0);  // rounding must not turn a sign
    return negative(weight) ? -size : size;
  }
  // Has the weight's place in memory fetched.
  void prefetch(std::size_t weight) const { __builtin_prefetch(codes_.data() + weight); }
  // The sum of the weight over all samples.
  double sum(std::size_t weight);

  // New values of weights, each of them another one, finite.
  struct Change {
    double size;  // |new value|
    std::uint32_t weight;
    bool negative;
  };
  void change(std::span<Change> changes);
  // Lets go of groups that died: without it a weight that is never examined again would keep one.
  void forget_dead() {
    for (std::size_t weight = 0; weight < codes_.size(); ++weight) group(weight);
  }
  // The links that merging and dying groups leave behind.
  void carry_out(std::span<const MovingGroups::Ended> ended);

 private:
  static constexpr std::uint32_t sign = 1U << 31;
  struct Node {
    MovingGroups::Id parent;   // itself: in the list; none: died
    std::uint32_t references;  // of weights and of nodes
    double sum;                // to be added to that of the parent; of a group that died, all of it
  };
  MovingGroups::Id find(std::size_t weight);
  void drop(MovingGroups::Id id);

  MovingGroups& groups_;
  std::vector<std::uint32_t> codes_;  // 0, or number of the node + 1; the sign in the highest bit
  std::vector<double> sums_;          // what is to be added to the sum of the group
  std::vector<Node> nodes_;
};

}  // namespace tunesmith
