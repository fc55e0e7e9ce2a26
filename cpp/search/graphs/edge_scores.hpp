// Weights enter a graph here: one score per edge, which is all that the algorithms read.
#pragma once

#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// Per edge: the local score of its application plus weights × stateful features, summed in double in the order in
// which they are stored. Feature ids beyond the end of `weights` weigh 0 (features seen after the weights were
// made). Throws Error if there is not one local score per application or if a score is not finite.
std::vector<double> edge_scores(const Hypergraph& graph, std::span<const double> application_scores,
                                std::span<const double> weights);
// The same where ids of sparse features are places of `sparse_weights`.
std::vector<double> edge_scores(const Hypergraph& graph, std::span<const double> application_scores,
                                std::span<const double> weights, std::span<const double> sparse_weights);

// Throws Error unless there is one finite score per edge and no sum over derivations overflows: algorithms sort
// what they compute, so it must not be NaN. O(edges × arity).
void check_scores(const Hypergraph& graph, std::span<const double> scores);
// Checks the same; gives a number that no sum of scores of a derivation is farther from 0 than.
double bound_of_sums(const Hypergraph& graph, std::span<const double> scores);
// Throws Error if a bound is larger than check_scores admits.
void check_bound(double bound);

}  // namespace tunesmith
