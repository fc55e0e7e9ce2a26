// Numbers of columns, each once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tunesmith {

// Distinct columns in the order in which they were first added. Adding has no branch, so that it costs the same
// whether a column is new or not; emptying costs what is there, whatever the number of columns there can be.
class DistinctColumns {
 public:
  // Columns below `columns` may be added from now on; never fewer than before.
  void grow(std::size_t columns) {
    if (columns > there_.size()) there_.resize(columns);
  }
  void clear() {
    for (const std::uint32_t id : ids()) there_[id] = 0;
    size_ = 0;
  }
  std::span<const std::uint32_t> ids() const { return {ids_.data(), size_}; }

  // Calls visit(column) in rising order: they are sorted where they are few, found among all columns otherwise.
  template <class Visit>
  void visit_rising(Visit visit) const {
    constexpr std::size_t few = 512;  // columns that are passed over while one is sorted
    if (size_ * few < there_.size()) {
      std::vector<std::uint32_t> sorted(ids().begin(), ids().end());
      std::sort(sorted.begin(), sorted.end());
      for (const std::uint32_t id : sorted) visit(id);
      return;
    }
    std::size_t column = 0;
    for (; column + 8 <= there_.size(); column += 8) {
      std::uint64_t marks = 0;  // eight bytes of 0 or 1
      std::memcpy(&marks, &there_[column], sizeof marks);
      for (; marks != 0; marks &= marks - 1)
        visit(static_cast<std::uint32_t>(column + static_cast<std::size_t>(std::countr_zero(marks)) / 8));
    }
    for (; column < there_.size(); ++column)
      if (there_[column] != 0) visit(static_cast<std::uint32_t>(column));
  }

  void add(std::uint32_t id) {
    make_room(1);
    append(id, true);
  }
  // Adds those of ids whose value is not 0.
  template <class Value>
  void add_nonzero(std::span<const std::uint32_t> ids, std::span<const Value> values) {
    make_room(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) append(ids[i], values[i] != 0);
  }

 private:
  void make_room(std::size_t more) {
    if (size_ + more > ids_.size()) ids_.resize(2 * (size_ + more));
  }
  void append(std::uint32_t id, bool wanted) {
    std::uint8_t& there = there_[id];
    ids_[size_] = id;
    size_ += static_cast<std::size_t>(wanted && there == 0);
    there |= static_cast<std::uint8_t>(wanted);
  }

  std::vector<std::uint8_t> there_;
  std::vector<std::uint32_t> ids_;  // those of the set, then room
  std::size_t size_ = 0;
};

}  // namespace tunesmith
