// What happens to moving groups on their way: neighbours meet, the lowest die.
#include <vector>

#include "tuning/online/moving_groups.hpp"

namespace tunesmith {

bool MovingGroups::next(Place& place) const {
  if (++place.group < block_at(place.block).groups.size()) return true;
  for (++place.block; place.block < order_.size(); ++place.block)
    if (!block_at(place.block).groups.empty()) {
      place.group = 0;
      return true;
    }
  return false;
}

bool MovingGroups::previous(Place& place) const {
  if (place.group-- > 0) return true;
  while (place.block-- > 0)
    if (!block_at(place.block).groups.empty()) {
      place.group = block_at(place.block).groups.size() - 1;
      return true;
    }
  return false;
}

void MovingGroups::erase(const Place& place) {
  std::vector<Id>& ids = block_at(place.block).groups;
  groups_[ids[place.group]].block = none;
  ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place.group));
  --groups_in_list_;
}

bool MovingGroups::met(Id upper, Id lower) const {
  const double gap = value(upper) - value(lower);
  // Also when they would meet before the clock can move: an event that is put off to the same time never ends.
  return gap <= 0 || !(meeting(gap, groups_[upper].size, groups_[lower].size) > now_);
}

// Both blocks are open.
void MovingGroups::merge(const Place& upper, const Place& lower, std::vector<Ended>& ended) {
  const Id first = at(upper), second = at(lower);
  const bool keep_first = groups_[first].size >= groups_[second].size;
  Group &kept = groups_[keep_first ? first : second], &gone = groups_[keep_first ? second : first];
  const double sizes = as_double(kept.size) + as_double(gone.size);
  // The mean, written so that two equal values keep it.
  kept.value += (gone.value - kept.value) * (as_double(gone.size) / sizes);
  kept.size += gone.size;
  ended.push_back({keep_first ? second : first, keep_first ? first : second, gone.sum - kept.sum});
  if (!keep_first) {
    std::swap(block_at(upper.block).groups[upper.group], block_at(lower.block).groups[lower.group]);
    std::swap(kept.block, gone.block);
  }
  erase(lower);
}

// Pools neighbours that met, from the block at `place` on (pool adjacent violators); the place where it ended.
std::size_t MovingGroups::pool(std::size_t start, std::vector<Ended>& ended) {
  touch(order_[start]);
  Place here{start, 0};
  while (here.group < block_at(here.block).groups.size()) {
    Place below = here;
    if (!next(below) || !met(at(here), at(below))) {
      ++here.group;
      continue;
    }
    touch(order_[below.block]);
    merge(here, below, ended);
    for (Place above = here; previous(above) && met(at(above), at(here)); here = above) {
      touch(order_[above.block]);
      merge(above, here, ended);
    }
  }
  return here.block;
}

// Groups that reached 0 leave from below.
void MovingGroups::bury(std::vector<Ended>& ended) {
  for (std::size_t place = order_.size(); place-- > 0;) {
    while (!block_at(place).groups.empty()) {
      const Id last = block_at(place).groups.back();
      const double height = value(last);
      const double above = as_double(weights_ - groups_[last].size);
      const double slope = strength_.l1 + strength_.l2 * (as_double(strength_.dimension) - above -
                                                          0.5 * (as_double(groups_[last].size) + 1));
      if (height > 0 && now_ + height / slope > now_) return;
      touch(order_[place]);
      ended.push_back({last, none, groups_[last].sum});
      weights_ -= groups_[last].size;
      erase({place, block_at(place).groups.size() - 1});
    }
  }
}

void MovingGroups::meet(std::vector<Ended>& ended) {
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const Block& block = block_at(place);
    const bool meets = block.inner_event <= now_ || (place + 1 < order_.size() && block.outer_event <= now_);
    if (meets && !block.groups.empty()) place = pool(place, ended);
  }
  bury(ended);
  settle();
}

}  // namespace tunesmith
