// Groups of equal weights that fall together along the proximity operator of OSCAR: a kinetic sorted list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tunesmith {

struct OscarStrength {
  double l1 = 0, l2 = 0;
  std::size_t dimension = 0;  // d: penalised weights, those that are 0 included
};

// Time is S, the sum of the steps of the proximity operator so far. Between two events the value of a group falls
// on a straight line of slope λ1 + λ2 (d - mean rank); events are two neighbours that meet and become one, and the
// lowest group that reaches 0 (docs/research/oscar.md has the proofs).
//
// Groups stand in blocks of at most `capacity`, highest value first; 0 lets the capacity grow with √M, which
// balances the cost of a block against that of all blocks (benchmarks/speed_oscar.py has the curves). A change in
// a block moves the ranks of all blocks below by the same number, which a block notes for itself; its groups learn
// of it when the block is opened (brought up to date). So a change costs O(capacity + blocks), a look at a value
// O(1), and a step without event nothing. Two neighbours close up at a speed that depends on their sizes alone,
// hence blocks need not be opened to keep the time of the next event right.
class MovingGroups {
 public:
  using Id = std::uint32_t;
  static constexpr Id none = std::numeric_limits<Id>::max();

  // What advance() did to a group: it was merged into another one, or died (`into` = none). `sum` is what a member
  // has to add to the sum of `into` from now on to have its own; for a death the whole sum.
  struct Ended {
    Id group, into;
    double sum;
  };

  explicit MovingGroups(const OscarStrength& strength, std::size_t capacity = 0);

  std::size_t size() const { return groups_in_list_; }  // M
  std::size_t weights() const { return weights_; }      // u
  // The value of a group in the list, now.
  double value(Id id) const {
    const Group& group = groups_[id];
    const Block& block = blocks_[group.block];
    const double x = now_ - block.opened;
    if (x == 0) return group.value;
    return group.value - x * group.fall + strength_.l2 * (static_cast<double>(block.before) * x - block.history);
  }
  // The sum of the group's values over all samples since it was made.
  double sum(Id id) const;
  // The order of the list, for whoever writes it out.
  std::vector<Id> in_order() const;

  // A change of weights: any number of leave() and insert(), then settle(). The time does not move meanwhile.
  void leave(Id id);  // one weight
  // `count` new weights of this value > 0. A group with exactly this value takes them in; otherwise they are a new
  // one.
  Id insert(double value, std::uint32_t count);
  void settle();

  // Moves the time; what ended meanwhile is appended to `ended`, in the order in which it must be carried out.
  void advance(double step, std::vector<Ended>& ended) {
    now_ += step;
    if (now_ >= next_event_) meet(ended);
  }
  // Adds the present values to the sums.
  void sample() {
    samples_ += 1;
    sampled_time_ += now_;
  }
  // Sets the clock back to 0, so that steps of 1e-7 are not added to a large number. Nothing else changes.
  void rebase();
  // Gives back the number of a group that ended.
  void release(Id id);

 private:
  struct Group {
    double value;  // when its block was opened
    double fall;   // slope with the ranks inside the block only
    double sum;    // over the samples until its block was opened
    std::uint32_t size;
    std::uint32_t block;  // none: not in the list
  };
  // x = now_ - opened. A value is value - x·fall + λ2 (before·x - history): `before` weights are above the block;
  // history = Σ change of `before` · x at the change. The same for sums over samples, by sum_history.
  struct Block {
    std::vector<Id> groups;
    double opened = 0, samples = 0, sampled_time = 0;  // the clock when it was opened
    double history = 0, sum_history = 0;
    std::size_t before = 0, weights = 0;
    double inner_event = 0, outer_event = 0;  // first meeting inside; of the last group with the next block
    bool changed = false;
  };
  struct Place {
    std::size_t block, group;
  };

  static double as_double(std::size_t count) { return static_cast<double>(count); }
  void open(Block& block);
  void touch(std::uint32_t block);
  Block& block_at(std::size_t place) { return blocks_[order_[place]]; }
  const Block& block_at(std::size_t place) const { return blocks_[order_[place]]; }
  std::size_t place_of(double value) const;
  std::uint32_t new_block(std::size_t place);
  Id new_group(double value, std::uint32_t size, std::uint32_t block);
  void split(std::size_t place);
  void join_small(std::size_t place);
  void count_again(Block& block);
  // When two neighbours meet.
  double meeting(double gap, std::uint32_t size, std::uint32_t other) const;
  bool met(Id upper, Id lower) const;

  // moving_groups_events.cpp
  bool next(Place& place) const;
  bool previous(Place& place) const;
  Id at(const Place& place) const { return block_at(place.block).groups[place.group]; }
  void erase(const Place& place);
  void meet(std::vector<Ended>& ended);
  std::size_t pool(std::size_t place, std::vector<Ended>& ended);
  void merge(const Place& upper, const Place& lower, std::vector<Ended>& ended);
  void bury(std::vector<Ended>& ended);

  OscarStrength strength_;
  bool balanced_;
  std::size_t capacity_;
  std::vector<Group> groups_;
  std::vector<Id> free_groups_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_blocks_, order_;
  std::vector<std::uint32_t> changed_;
  std::size_t groups_in_list_ = 0, weights_ = 0;
  double now_ = 0, samples_ = 0, sampled_time_ = 0;  // S, number of samples, Σ S over them
  double next_event_ = std::numeric_limits<double>::infinity();
};

}  // namespace tunesmith
