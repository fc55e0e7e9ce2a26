#include "tuning/online/moving_groups.hpp"

#include <algorithm>
#include <cmath>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t least_balanced = 32, most_balanced = 256;
constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

MovingGroups::MovingGroups(const OscarStrength& strength, std::size_t capacity)
    : strength_(strength),
      balanced_(capacity == 0),
      capacity_(capacity == 0 ? least_balanced : std::max<std::size_t>(capacity, 4)) {}

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
    number = narrow<std::uint32_t>(blocks_.size());
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

// Puts a block with few groups and the one after it together.
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
                order_[place + 1]);  // the emptied one comes first, the joined one is examined next
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
