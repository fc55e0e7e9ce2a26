// Candidates as bindings of other folders take them: `const HeldLists& candidates` → `candidates.lists`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "bind/convert.hpp"
#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith::bind {

// Lists together with the array of their offsets.
struct HeldLists {
  HeldLists(const CandidateMatrix& matrix, Integers array) : offsets(array), lists{matrix, span_of(array)} {
    const auto given = lists.offsets;
    if (given.empty() || given.front() != 0 || given.back() != static_cast<std::int64_t>(matrix.rows()) ||
        !std::is_sorted(given.begin(), given.end()))
      throw Error("offsets of sentences must rise from 0 to the number of candidates");
  }

  Integers offsets;
  CandidateLists lists;
  std::uint64_t number = next_number();  // no other lists of this process have it

 private:
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> numbers = 0;
    return ++numbers;
  }
};

}  // namespace tunesmith::bind
