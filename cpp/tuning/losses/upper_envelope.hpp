// The upper envelope of the score lines of one list (Och 2003; Macherey et al. 2008, Algorithm 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunesmith {

// Candidate `index` has the highest score from step `start` to the start of the next segment.
struct Segment {
  double start;
  std::uint32_t index;
};

// Scratch space of `upper_envelope`, kept by the caller between calls.
struct EnvelopeSpace {
  std::vector<double> heights;
  std::vector<std::uint32_t> kept;
};

// Writes to `out` the segments of max_i (scores[i] + step · slopes[i]), by ascending start, the first start -∞. Of
// equal lines the first one counts. `best` is the first index of the highest score (what `first_best` gives).
//
// Most lines are discarded before anything is sorted: a line flatter than the one that is best at step 0 can only
// be seen if it rises above the point where that one meets the flattest of all, and likewise for steeper lines.
// O(n) for that, O(m log m) for the m lines left over, a few of a hundred in practice.
//
// Only steps from `low` to `high` are examined: segments outside of them may be missing or wrong. Where the range
// is finite and holds 0, lists whose best line wins from end to end are done after one look at each end.
//
// Lines whose slopes differ by no more than `parallel` count as parallel: where slopes are sums that were rounded
// in different orders, a crossing would be rounding divided by rounding.
void upper_envelope(std::span<const double> scores, std::span<const double> slopes, std::uint32_t best, double low,
                    double high, EnvelopeSpace& space, std::vector<Segment>& out, double parallel = 0);

// The first index of the largest value; 0 for none.
std::uint32_t first_best(std::span<const double> values);

}  // namespace tunesmith
