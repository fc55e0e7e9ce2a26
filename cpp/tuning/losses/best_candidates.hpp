// Who wins under given weights.
#pragma once

#include <cstdint>
#include <span>

#include "search/matrices/candidate_matrix.hpp"
#include "tuning/losses/lists.hpp"

namespace tunesmith {

// out[s] = the candidate of sentence s with the highest score X·w (the first of equals), -1 where there is none.
void best_candidates(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> w,
                     std::span<std::int64_t> out, int threads);

}  // namespace tunesmith
