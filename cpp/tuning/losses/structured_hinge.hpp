// The structured hinge loss with an oracle that depends on the weights: the latent SVM of Cherry and Foster (2012,
// section 3.2) and the ramp loss of Gimpel and Smith (2012, Eq. 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/matrices/candidate_matrix.hpp"
#include "tuning/losses/hope_fear.hpp"
#include "tuning/losses/lists.hpp"

namespace tunesmith {

// cost(e) = highest gain of the list - gain(e). The mean over sentences (empty lists count 0) of
//   max_e [score(e) + cost(e)] - max_o [score(o)]             over the o of cost 0, for Hope::gain;
//   max_e [score(e) + cost(e)] - max_o [score(o) - cost(o)]   over all o, for Hope::model_and_gain.
// `oracles` gets the row of each sentence's o, the first of equals; -1 for an empty list.
double latent_hinge(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> gains, Hope hope,
                    std::span<const double> w, std::span<std::int64_t> oracles, int threads);

}  // namespace tunesmith
