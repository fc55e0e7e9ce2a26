#include "tuning/online/group_members.hpp"

#include <algorithm>

namespace tunesmith {

// One reference to a node less; nodes that nobody refers to are given back. One in the list gives itself back when
// its last weight has left.
void GroupMembers::drop(MovingGroups::Id id) {
  while (--nodes_[id].references == 0) {
    const MovingGroups::Id parent = nodes_[id].parent;
    if (parent == id) return;
    groups_.release(id);
    if (parent == MovingGroups::none) return;
    id = parent;
  }
}

MovingGroups::Id GroupMembers::find(std::size_t weight) {
  const std::uint32_t minus = codes_[weight] & sign;
  const MovingGroups::Id first = (codes_[weight] & ~sign) - 1;
  MovingGroups::Id id = first;
  double sum = 0;
  while (nodes_[id].parent != id && nodes_[id].parent != MovingGroups::none) {
    sum += nodes_[id].sum;
    id = nodes_[id].parent;
  }
  if (nodes_[id].parent == id) {
    ++nodes_[id].references;
    codes_[weight] = (id + 1) | minus;
  } else {
    sum += nodes_[id].sum;
    codes_[weight] = 0;
    id = MovingGroups::none;
  }
  sums_[weight] += minus != 0 ? -sum : sum;
  drop(first);
  return id;
}

double GroupMembers::sum(std::size_t weight) {
  const MovingGroups::Id id = group(weight);
  if (id == MovingGroups::none) return sums_[weight];
  return sums_[weight] + (negative(weight) ? -groups_.sum(id) : groups_.sum(id));
}

void GroupMembers::change(std::span<Change> changes) {
  for (const Change& change : changes) {
    const MovingGroups::Id id = group(change.weight);
    if (id == MovingGroups::none) continue;
    sums_[change.weight] += negative(change.weight) ? -groups_.sum(id) : groups_.sum(id);
    codes_[change.weight] = 0;
    groups_.leave(id);
    drop(id);
  }
  // Equal values go in as one group: they are found here, where both came from the same arithmetic.
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.size != b.size ? a.size > b.size : a.weight < b.weight;
  });
  for (std::size_t begin = 0, end = 0; begin < changes.size() && changes[begin].size > 0; begin = end) {
    while (end < changes.size() && changes[end].size == changes[begin].size) ++end;
    const auto count = static_cast<std::uint32_t>(end - begin);
    const MovingGroups::Id id = groups_.insert(changes[begin].size, count);
    if (id >= nodes_.size()) nodes_.resize(id + 1, {id, 0, 0});
    if (nodes_[id].references == 0) nodes_[id] = {id, 0, 0};
    nodes_[id].references += count;
    const double sum = groups_.sum(id);
    for (std::size_t i = begin; i < end; ++i) {
      codes_[changes[i].weight] = (id + 1) | (changes[i].negative ? sign : 0);
      sums_[changes[i].weight] -= changes[i].negative ? -sum : sum;
    }
  }
  groups_.settle();
}

void GroupMembers::carry_out(std::span<const MovingGroups::Ended> ended) {
  for (const MovingGroups::Ended& end : ended) {
    nodes_[end.group].parent = end.into;
    nodes_[end.group].sum = end.sum;
    if (end.into != MovingGroups::none) ++nodes_[end.into].references;
  }
}

}  // namespace tunesmith
