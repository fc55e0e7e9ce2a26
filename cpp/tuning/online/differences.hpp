// Ranked pairs as sparse differences of features, better minus worse: what online learners go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// Pair i has the entries [offsets[i], offsets[i + 1]) of ids and values, and row i of `dense`. Ids are not columns
// of the model but places in the list of penalised columns that occur at all, so that nothing here grows with the
// number of features. Values are single precision: counts are exact, and half as much memory is read in random
// order.
struct Differences {
  std::span<const std::int64_t> offsets;
  std::span<const std::uint32_t> ids;
  std::span<const float> values;
  std::span<const double> dense;  // pairs × dense_columns, the columns that are not penalised
  std::size_t dense_columns = 0;
  std::size_t penalised = 0;  // ids are below it

  std::size_t size() const { return offsets.size() - 1; }
  std::size_t begin(std::size_t pair) const { return static_cast<std::size_t>(offsets[pair]); }
  std::size_t end(std::size_t pair) const { return static_cast<std::size_t>(offsets[pair + 1]); }
  std::span<const double> dense_row(std::size_t pair) const {
    return dense.subspan(pair * dense_columns, dense_columns);
  }
};

// Throws Error unless offsets rise from 0 to the number of entries, the ids of a pair are different ones below
// `penalised`, and all values are finite.
void check_differences(const Differences& differences);

struct StoredDifferences {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
  std::vector<double> dense;
  std::vector<std::uint32_t> penalised, unpenalised;  // columns by place: those that occur; all others
};

// One sweep over the pairs. `penalised`: columns of the matrix, ascending. A value that is 0 is not stored. Throws
// Error for candidates that are not there and for more than `most_unpenalised` columns that are not penalised.
inline constexpr std::size_t most_unpenalised = 1024;
StoredDifferences make_differences(const CandidateMatrix& matrix, std::span<const std::int64_t> better,
                                   std::span<const std::int64_t> worse, std::span<const std::int64_t> penalised,
                                   int threads);

// out[i] = difference i · weights.
void margins(const Differences& differences, std::span<const double> penalised, std::span<const double> dense,
             std::span<double> out, int threads);

// Σ_i coefficients[i] · difference i, written to `penalised` and `dense`. Pairs are added in blocks of `a_block`,
// 0 for what their number says, and blocks in a tree (tree_sums.hpp).
void combine(const Differences& differences, std::span<const double> coefficients, std::span<double> penalised,
             std::span<double> dense, int threads, std::size_t a_block = 0);
std::size_t pairs_a_block(std::size_t pairs);
// Σ_i coefficients[i] · dense row · dense rowᵀ, added in the same way: dense_columns² numbers.
void dense_products(const Differences& differences, std::span<const double> coefficients, std::span<double> out,
                    int threads, std::size_t a_block);

// A pass of dual coordinate descent (Hsieh et al. 2008) on Σ_i max(0, 1 - x_i · w) + ½ · strength · ‖w - c‖² over
// all weights, penalised and dense, for the pairs of `order`. Its minimum is w = c + (1 / strength) · Σ_i α_i ·
// x_i with multipliers 0 ≤ α_i ≤ 1; on entry weights and multipliers belong together like that, on exit they do
// again.
void descend_to_centre(const Differences& differences, std::span<const std::uint32_t> order, double strength,
                       std::span<double> multipliers, std::span<double> penalised, std::span<double> dense);

}  // namespace tunesmith
