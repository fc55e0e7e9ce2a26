// What sentence pairs gave to a table as Python holds it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/grammar/held_rules.hpp"
#include "decoding/leave_one_out.hpp"

namespace tunesmith::bind {

// Arrays that are held without conversion, and checked once.
struct HeldLeaveOneOut : LeaveOneOut {
  using Columns = std::pair<std::optional<std::uint32_t>, std::optional<std::uint32_t>>;

  HeldLeaveOneOut(const nb::dict& arrays, const Columns& changed) {
    rules = entries(arrays, "rule_offsets", "rules", "rule_counts");
    sides = entries(arrays, "side_offsets", "sides", "side_counts");
    targets = entries(arrays, "target_offsets", "targets", "target_counts");
    made = entries(arrays, "made_offsets", "made", nullptr);
    target_numbers = hold<std::uint32_t>(arrays, "target_numbers");
    joint_counts = hold<double>(arrays, "table_joint_counts");
    target_counts = hold<double>(arrays, "table_target_counts");
    source_counts = hold<double>(arrays, "table_source_counts");
    columns = {changed.first.value_or(no_column), changed.second.value_or(no_column)};
    const nb::gil_scoped_release release;
    check();
  }

 private:
  OwnEntries entries(const nb::dict& arrays, const char* offsets, const char* ids, const char* counts) {
    return {hold<std::int64_t>(arrays, offsets), hold<std::uint32_t>(arrays, ids),
            counts == nullptr ? std::span<const double>() : hold<double>(arrays, counts)};
  }
  template <class T>
  std::span<const T> hold(const nb::dict& arrays, const char* name) {
    held_.emplace_back(arrays[name]);
    Array<T> array;
    if (!nb::try_cast(held_.back(), array, false))
      throw Error(std::string(name) + " is not a flat array of the type that leave-one-out counts have");
    return {array.data(), array.size()};
  }
  std::vector<nb::object> held_;
};

}  // namespace tunesmith::bind
