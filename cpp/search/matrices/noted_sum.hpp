// A vector that is 0 but for some entries, which it can name.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tunesmith {

// A sum that notes an entry when it stops being 0. So what few rows have added to many columns is found without
// looking at every column, and at no more cost than a comparison for each addition.
class NotedSum {
 public:
  explicit NotedSum(std::size_t columns) : values_(columns), marks_((columns + 63) / 64) {}

  std::size_t size() const { return values_.size(); }
  // `more` additions will follow; add() does not look for room.
  void expect(std::size_t more) {
    if (noted_ + more > ids_.size()) ids_.resize(std::max(2 * ids_.size(), noted_ + more));
  }
  void add(std::uint32_t id, double value) {
    double& entry = values_[id];
    const bool was = entry != 0;
    entry += value;
    ids_[noted_] = id;
    noted_ += static_cast<std::size_t>(!was & (entry != 0));
  }
  // Gives the entries that are not 0, by rising number, and is 0 afterwards. They are sorted by setting a bit for
  // each: an entry that was 0 in between has been noted twice.
  void take(std::vector<std::uint32_t>& ids, std::vector<double>& values) {
    for (const std::uint32_t id : std::span(ids_).first(noted_)) marks_[id / 64] |= std::uint64_t{1} << id % 64;
    ids.resize(noted_);
    values.resize(noted_);
    std::size_t size = 0;  // an entry of 0 is written over by the next one
    for (std::size_t word = 0; word < marks_.size(); ++word)
      for (std::uint64_t left = std::exchange(marks_[word], 0); left != 0; left &= left - 1) {
        const std::size_t id = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
        ids[size] = static_cast<std::uint32_t>(id);
        values[size] = std::exchange(values_[id], 0.0);
        size += static_cast<std::size_t>(values[size] != 0);
      }
    ids.resize(size);
    values.resize(size);
    noted_ = 0;
  }

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> ids_;  // those noted, then room
  std::size_t noted_ = 0;
  std::vector<std::uint64_t> marks_;  // of all entries, 0 but in take()
};

// The same for sums of both kinds.
inline void expect_in(NotedSum& sum, std::size_t more) {
  sum.expect(more);
}
inline void expect_in(std::span<double>, std::size_t) {}
inline void add_to(NotedSum& sum, std::size_t id, double value) {
  sum.add(static_cast<std::uint32_t>(id), value);
}
inline void add_to(std::span<double> sum, std::size_t id, double value) {
  sum[id] += value;
}

}  // namespace tunesmith
