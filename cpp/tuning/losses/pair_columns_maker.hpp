// Makes the differences of ranked pairs, column by column (pair_columns.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"
#include "tuning/losses/lists.hpp"
#include "tuning/losses/pair_columns.hpp"

namespace tunesmith {

struct StoredPairColumns {
  std::vector<std::int64_t> pair_bounds{0}, column_bounds{0};
  std::vector<std::uint32_t> columns;
  std::vector<std::int64_t> entry_bounds{0};
  std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>> pairs;
  std::vector<std::uint8_t> whole;
  std::vector<std::int8_t> counts;
  std::vector<std::int64_t> value_bounds{0};
  std::vector<float> values;
  std::vector<std::uint32_t> used;  // columns of the matrix by place, rising

  PairColumns view() const;
};

// Pairs are sorted by sentence; the two candidates of a pair belong to one list. Throws Error otherwise.
// In addition to the result there is one block at a time, in twelve bytes an entry for each thread, and once all
// blocks in three bytes an entry.   a_block: sentences of a block, 0 for what their number says.
StoredPairColumns make_pair_columns(const CandidateMatrix& matrix, const Lists& lists,
                                    std::span<const std::int64_t> better, std::span<const std::int64_t> worse,
                                    std::size_t a_block, int threads);

}  // namespace tunesmith
