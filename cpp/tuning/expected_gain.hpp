// The expected gain of candidates drawn from the model: minimum risk (Smith and Eisner 2006; Cherry and Foster
// 2012, 2.4).
#pragma once

#include <cstddef>
#include <span>

#include "search/candidate_matrix.hpp"
#include "tuning/lists.hpp"

namespace tunesmith {

// The mean over sentences of -Σ_e p(e) · gain(e), p(e) ∝ exp(scale · w · H(e)), and its gradient
// -scale · (E[gain · H] - E[gain] · E[H]). `gains` has one number per candidate; empty lists count 0.
double expected_gain(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> gains,
                     double scale, std::span<const double> w, std::span<double> gradient, int threads);

}  // namespace tunesmith
