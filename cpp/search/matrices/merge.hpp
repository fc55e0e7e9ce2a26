// Several sets of candidates for the same sentences as one, each candidate once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// What two candidates of a sentence must share to be the same: their words, their row as it is stored (integers
// and bytes, never a sum of floats), their statistics.
struct MergeSource {
  CandidateLists lists;
  std::span<const std::uint32_t> column_map;   // number of each column in the merged set; empty: as it is
  std::span<const std::uint32_t> word_ids;     // in the numbers of the merged set
  std::span<const std::int64_t> word_offsets;  // empty: no words
  std::span<const char> statistics;            // statistics_size bytes for each candidate
  std::size_t statistics_size = 0;
};

// The candidates of the merged set in their order: number index[i] of source[i].
struct MergePlan {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> source;
  std::vector<std::int64_t> index;
};

// For each sentence the candidates of the first source in their order, then those of the second that are new, and
// so on. Sources may have different numbers of sentences. O(bytes), by hashing; equal hashes are compared.
// Offsets and numbers of words must be right.
MergePlan merge_plan(std::span<const MergeSource> sources, int threads);

// out: for each entry of the plan the `size` bytes of its row; rows[s] are those of source s.
void gather_rows(const MergePlan& plan, std::span<const std::span<const char>> rows, std::size_t size,
                 std::span<char> out);

// Sequences of items of `size` bytes each.
struct Ragged {
  std::span<const std::int64_t> offsets;
  std::span<const char> items;
};
// Offsets of the gathered sequences, from 0.
std::vector<std::int64_t> gathered_offsets(const MergePlan& plan, std::span<const Ragged> lists);
void gather_ragged(const MergePlan& plan, std::span<const Ragged> lists, std::size_t size, std::span<char> out);

}  // namespace tunesmith
