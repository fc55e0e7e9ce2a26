// Support: the number of sentences in whose lists features, or groups of features, fire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// For every group the number of sentences where a feature of it is in some candidate. groups[j] is the group of
// column j, below `size`, or -1 for none; where `groups` is empty every column is its own group.
std::vector<std::int64_t> sentence_support(const CandidateLists& candidates, std::span<const std::int64_t> groups,
                                           std::size_t size, int threads);

// For every part of the sentences and every column the number of its sentences where the column is in some
// candidate: part after part. parts[s] is the part of sentence s, below `count`.
std::vector<std::int64_t> support_by_fold(const CandidateLists& candidates, std::span<const std::int64_t> parts,
                                          std::size_t count);

}  // namespace tunesmith
