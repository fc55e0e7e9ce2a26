// The quadratic program of MIRA with many margins (Watanabe et al. 2007, Eq. 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunesmith {

// Sparse vectors: number i has the entries [offsets[i], offsets[i + 1]), ids ascending.
struct SparseVectors {
  std::span<const std::int64_t> offsets;
  std::span<const std::uint32_t> ids;
  std::span<const double> values;

  std::size_t size() const { return offsets.size() - 1; }
};

// Margin p: vector better[p] should score above worse[p] by losses[p].
struct Margins {
  std::span<const double> scores;  // of the vectors, under the weights there are
  std::span<const std::uint32_t> better, worse;
  std::span<const double> losses;
};

// What bounds the multipliers α ≥ 0: Σ α ≤ C, as Eq. 4 prints it; or each α ≤ C, as Eq. 3 gives it with a slack
// for each margin.
enum class MarginBound { sum, box };

struct MarginOptions {
  double cap = 1;  // C
  MarginBound bound = MarginBound::sum;
  double tol = 1e-9;  // the largest duality gap, as a share of C · (the largest loss of a margin)
  std::uint64_t steps = 100000;
};

struct MarginSolution {
  std::vector<double> multipliers;   // α
  std::vector<double> coefficients;  // of the vectors in the change of the weights (Eq. 5)
  double gap = 0;                    // between primal and dual value
  std::uint64_t steps = 0;
};

// Maximises -½ ‖Σ α Δh‖² + Σ α (loss - Δs). By exact steps on the coordinate that gains most; where the sum is
// bounded, on the pair of coordinates whose derivatives differ most, one of them perhaps what is left of C. Unlike
// Eq. 6 as printed, scores are those of the present α.
MarginSolution solve_margins(const SparseVectors& vectors, const Margins& margins, const MarginOptions& options);

}  // namespace tunesmith
