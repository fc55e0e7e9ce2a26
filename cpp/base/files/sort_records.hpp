// Sorting fixed-width records in memory, on several threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tunesmith {

inline constexpr std::size_t max_record_width = 12;

// Sorts `count` records of `width` words in place, comparing word by word. Where `sum_key` is not 0, records with
// the same first `sum_key` words then become one: the two words after these are a 64-bit count, low word first,
// and are added. Returns how many records are left. The result does not depend on `threads`.
std::size_t sort_records(std::uint32_t* records, std::size_t count, std::size_t width, std::size_t sum_key,
                         int threads);

// Adds to a 64-bit count in two words, low word first.
inline void add_count(std::uint32_t* payload, const std::uint32_t* more) {
  const auto value = [](const std::uint32_t* words) {
    return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
  };
  const std::uint64_t sum = value(payload) + value(more);
  payload[0] = static_cast<std::uint32_t>(sum);
  payload[1] = static_cast<std::uint32_t>(sum >> 32);
}

}  // namespace tunesmith
