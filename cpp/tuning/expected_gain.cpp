#include "tuning/expected_gain.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tuning/gradient_blocks.hpp"

namespace tunesmith {

double expected_gain(const CandidateMatrix& matrix, const Lists& lists, std::span<const double> gains,
                     double scale, std::span<const double> w, std::span<double> gradient, int threads) {
  if (w.size() != matrix.columns() || gradient.size() != w.size())
    throw Error(std::to_string(w.size()) + " weights for " + std::to_string(matrix.columns()) + " features");
  if (gains.size() != lists.rows() || matrix.rows() != lists.rows())
    throw Error("there must be one gain and one row of features for each candidate");
  const double share = lists.size() == 0 ? 0.0 : 1.0 / static_cast<double>(lists.size());
  const auto make_work = [&] {
    return [&, p = std::vector<double>()](std::size_t s, std::span<double> sum) mutable {
      const std::size_t begin = lists.begin(s), length = lists.length(s);
      if (length == 0) return 0.0;
      p.resize(length);
      matrix.dots(begin, begin + length, w, p.data());
      const double highest = *std::max_element(p.begin(), p.end());
      double total = 0, expected = 0;
      for (std::size_t i = 0; i < length; ++i) {
        p[i] = std::exp(scale * (p[i] - highest));
        total += p[i];
        expected += p[i] * gains[begin + i];
      }
      expected /= total;
      for (std::size_t i = 0; i < length; ++i) {
        const double coefficient = p[i] / total * (gains[begin + i] - expected);
        if (coefficient != 0) matrix.add_row(begin + i, -share * scale * coefficient, sum);
      }
      return -share * expected;
    };
  };
  return sum_over_sentences(lists.size(), gradient, threads, make_work);
}

}  // namespace tunesmith
