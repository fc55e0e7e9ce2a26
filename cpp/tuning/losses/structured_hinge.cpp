#include "tuning/losses/structured_hinge.hpp"

#include <string>
#include <vector>

#include "base/parallel.hpp"

namespace tunesmith {

double latent_hinge(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> gains, Hope hope,
                    std::span<const double> w, std::span<std::int64_t> oracles, int threads) {
  if (w.size() != matrix.columns())
    throw Error(std::to_string(w.size()) + " weights for " + std::to_string(matrix.columns()) + " features");
  if (gains.size() != lists.rows() || matrix.rows() != lists.rows())
    throw Error("there must be one gain and one row of features for each candidate");
  if (oracles.size() != lists.size()) throw Error("there must be one oracle for each sentence");
  std::vector<double> scores(lists.rows()), losses(lists.size());
  matrix.all_dots(w, scores.data(), threads);
  parallel_ranges(lists.size(), threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first; s < last; ++s) {
      oracles[s] = -1;
      const std::size_t begin = lists.begin(s), end = lists.end(s);
      if (begin == end) continue;
      std::size_t oracle = begin, fear = begin, best = begin;
      for (std::size_t e = begin + 1; e < end; ++e) {
        if (gains[e] > gains[best]) best = e;
        if (scores[e] - gains[e] > scores[fear] - gains[fear]) fear = e;
        if (hope == Hope::gain
                ? gains[e] > gains[oracle] || (gains[e] == gains[oracle] && scores[e] > scores[oracle])
                : scores[e] + gains[e] > scores[oracle] + gains[oracle])
          oracle = e;
      }
      oracles[s] = static_cast<std::int64_t>(oracle);
      const double highest = gains[best];
      losses[s] = (scores[fear] + (highest - gains[fear])) - (scores[oracle] - (highest - gains[oracle]));
    }
  });
  double total = 0;
  for (const double loss : losses) total += loss;
  return lists.size() == 0 ? 0.0 : total / static_cast<double>(lists.size());
}

}  // namespace tunesmith
