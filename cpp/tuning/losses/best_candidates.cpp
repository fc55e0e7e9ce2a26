#include "tuning/losses/best_candidates.hpp"

#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "tuning/losses/upper_envelope.hpp"

namespace tunesmith {

void best_candidates(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> w,
                     std::span<std::int64_t> out, int threads) {
  if (w.size() != matrix.columns())
    throw Error(std::to_string(w.size()) + " weights for " + std::to_string(matrix.columns()) + " features");
  parallel_ranges(lists.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scores;
    for (std::size_t s = begin; s < end; ++s) {
      out[s] = -1;
      if (lists.length(s) == 0) continue;
      scores.resize(lists.length(s));
      matrix.dots(lists.begin(s), lists.end(s), w, scores.data());
      out[s] = static_cast<std::int64_t>(lists.begin(s) + first_best(scores));
    }
  });
}

}  // namespace tunesmith
