#include "tuning/moving_groups.hpp"

#include <algorithm>
#include <cmath>

namespace tunesmith {
namespace {

constexpr std::size_t least_balanced = 16, most_balanced = 256;
constexpr double never = std::numeric_limits<double>::infinity();

double as_double(std::size_t count) {
  return static_cast<double>(count);
}

}  // namespace

MovingGroups::MovingGroups(const OscarStrength& strength, std::size_t capacity)
    : strength_(strength),
      balanced_(capacity == 0),
      capacity_(capacity == 0 ? least_balanced : std::max<std::size_t>(capacity, 4)) {}

double MovingGroups::value(Id id) const {
  const Group& group = groups_[id];
  const Block& block = blocks_[group.block];
  const double x = now_ - block.opened;
  if (x == 0) return group.value;
  return group.value - x * group.fall + strength_.l2 * (as_double(block.before) * x - block.history);
}

double MovingGroups::sum(Id id) const {
  const Group& group = groups_[id];
  const Block& block = blocks_[group.block];
  const double n = samples_ - block.samples;
  if (n == 0) return group.sum;
  const double x = (sampled_time_ - block.sampled_time) - block.opened * n;  // Σ x over the samples
  return group.sum + group.value * n - group.fall * x +
         strength_.l2 * (as_double(block.before) * x - block.history * n + block.sum_history);
}

std::vector<MovingGroups::Id> MovingGroups::in_order() const {
  std::vector<Id> ids;
  ids.reserve(groups_in_list_);
  for (const std::uint32_t block : order_)
    ids.insert(ids.end(), blocks_[block].groups.begin(), blocks_[block].groups.end());
  return ids;
}

void MovingGroups::open(Block& block) {
  for (const Id id : block.groups) {
    const double new_value = value(id), new_sum = sum(id);
    groups_[id].value = new_value;
    groups_[id].sum = new_sum;
  }
  block.opened = now_;
  block.samples = samples_;
  block.sampled_time = sampled_time_;
  block.history = block.sum_history = 0;
}

void MovingGroups::touch(std::uint32_t number) {
  Block& block = blocks_[number];
  if (block.changed) return;
  open(block);
  block.changed = true;
  changed_.push_back(number);
}

void MovingGroups::leave(Id id) {
  touch(groups_[id].block);
  --groups_[id].size;
  --weights_;
}

// The block in which a value stands or has to stand.
std::size_t MovingGroups::place_of(double value_) const {
  std::size_t low = 0, high = order_.size();  // the last block that begins at `value_` or above, or the first
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (value(block_at(middle).groups.front()) >= value_ ? low : high) = middle;
  }
  return low;
}

std::uint32_t MovingGroups::new_block(std::size_t place) {
  std::uint32_t number;
  if (free_blocks_.empty()) {
    number = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    number = free_blocks_.back();
    free_blocks_.pop_back();
    std::vector<Id> emptied = std::move(blocks_[number].groups);
    blocks_[number] = {};
    emptied.clear();
    blocks_[number].groups = std::move(emptied);
  }
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), number);
  touch(number);
  return number;
}

MovingGroups::Id MovingGroups::new_group(double value, std::uint32_t size, std::uint32_t block) {
  Id id;
  if (free_groups_.empty()) {
    id = static_cast<Id>(groups_.size());
    groups_.emplace_back();
  } else {
    id = free_groups_.back();
    free_groups_.pop_back();
  }
  groups_[id] = {value, 0, 0, size, block};
  ++groups_in_list_;
  return id;
}

void MovingGroups::release(Id id) {
  free_groups_.push_back(id);
}

MovingGroups::Id MovingGroups::insert(double value, std::uint32_t count) {
  if (order_.empty()) new_block(0);
  const std::size_t place = place_of(value);
  const std::uint32_t number = order_[place];
  touch(number);
  std::vector<Id>& ids = blocks_[number].groups;
  const auto spot = std::partition_point(ids.begin(), ids.end(), [&](Id id) { return groups_[id].value > value; });
  weights_ += count;
  for (auto same = spot; same != ids.end() && groups_[*same].value == value; ++same)
    if (groups_[*same].size > 0) {  // one that everybody has left is about to be erased
      groups_[*same].size += count;
      return *same;
    }
  const Id id = new_group(value, count, number);
  ids.insert(spot, id);
  if (ids.size() > capacity_) split(place);
  return id;
}

void MovingGroups::split(std::size_t place) {
  const std::uint32_t lower = new_block(place + 1);
  std::vector<Id>&from = block_at(place).groups, &to = blocks_[lower].groups;
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
  to.assign(middle, from.end());
  from.erase(middle, from.end());
  for (const Id id : to) groups_[id].block = lower;
}

// Puts a block with few groups and the one behind it together.
void MovingGroups::join_small(std::size_t place) {
  const std::uint32_t upper = order_[place], lower = order_[place + 1];
  touch(upper);
  touch(lower);
  std::vector<Id>&to = blocks_[upper].groups, &from = blocks_[lower].groups;
  for (const Id id : from) groups_[id].block = upper;
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

double MovingGroups::meeting(double gap, std::uint32_t size, std::uint32_t other) const {
  // The difference of the two slopes: mean ranks are half of both sizes apart.
  const double speed = strength_.l2 * (0.5 * (as_double(size) + as_double(other)));
  return speed > 0 ? now_ + gap / speed : never;
}

// Slopes, number of weights and first meeting of an opened block.
void MovingGroups::count_again(Block& block) {
  const double d = as_double(strength_.dimension);
  std::size_t above = 0;
  block.inner_event = never;
  const Group* upper = nullptr;
  for (const Id id : block.groups) {
    Group& group = groups_[id];
    const double mean_rank = as_double(above) + 0.5 * (as_double(group.size) + 1);
    group.fall = strength_.l1 + strength_.l2 * (d - mean_rank);
    above += group.size;
    if (upper != nullptr)
      block.inner_event =
          std::min(block.inner_event, meeting(upper->value - group.value, upper->size, group.size));
    upper = &group;
  }
  block.weights = above;
}

void MovingGroups::settle() {
  for (const std::uint32_t number : changed_) {
    std::vector<Id>& ids = blocks_[number].groups;
    std::erase_if(ids, [&](Id id) {
      if (groups_[id].size > 0) return false;
      groups_[id].block = none;
      --groups_in_list_;
      release(id);
      return true;
    });
  }
  // Blocks that became small are joined with the next one, empty ones leave; those above and below note how many
  // weights are above them now.
  std::size_t kept = 0;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const Block& block = block_at(place);
    if (place + 1 < order_.size() && block.changed && block.groups.size() < capacity_ / 4 &&
        block.groups.size() + block_at(place + 1).groups.size() <= capacity_ / 2) {
      join_small(place);
      std::swap(order_[place],
                order_[place + 1]);  // the emptied one comes first, the joined one is looked at next
    }
    if (!block_at(place).groups.empty()) {
      order_[kept++] = order_[place];
      continue;
    }
    free_blocks_.push_back(order_[place]);
    if (kept > 0) touch(order_[kept - 1]);  // it has another neighbour now
  }
  order_.resize(kept);
  for (const std::uint32_t number : changed_)
    if (!blocks_[number].groups.empty()) count_again(blocks_[number]);

  std::size_t before = 0;
  next_event_ = never;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    Block& block = block_at(place);
    if (block.before != before) {
      const double change = as_double(before) - as_double(block.before), x = now_ - block.opened;
      const double n = samples_ - block.samples;
      block.history += change * x;
      block.sum_history -= change * ((sampled_time_ - block.sampled_time) - block.opened * n - x * n);
      block.before = before;
    }
    before += block.weights;
    if (place + 1 == order_.size()) {
      const Id last = block.groups.back();
      const double slope = groups_[last].fall - strength_.l2 * as_double(block.before);
      block.outer_event = slope > 0 ? now_ + value(last) / slope : never;
    } else if (block.changed || block_at(place + 1).changed) {
      const Id last = block.groups.back(), below = block_at(place + 1).groups.front();
      block.outer_event = meeting(value(last) - value(below), groups_[last].size, groups_[below].size);
    }
    next_event_ = std::min({next_event_, block.inner_event, block.outer_event});
  }
  for (const std::uint32_t number : changed_) blocks_[number].changed = false;
  changed_.clear();
}

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

void MovingGroups::rebase() {
  for (const std::uint32_t number : order_) touch(number);
  now_ = samples_ = sampled_time_ = 0;
  for (const std::uint32_t number : order_)
    blocks_[number].opened = blocks_[number].samples = blocks_[number].sampled_time = 0;
  if (balanced_)
    capacity_ = std::clamp(static_cast<std::size_t>(std::sqrt(as_double(groups_in_list_)) / 2), least_balanced,
                           most_balanced);
  settle();
}

}  // namespace tunesmith
