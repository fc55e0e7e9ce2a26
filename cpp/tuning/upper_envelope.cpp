#include "tuning/upper_envelope.hpp"

#include <algorithm>

namespace tunesmith {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A point on the line of `best` below which no line of one side can be seen, as a test `score + slope · step > level`.
struct Level {
  double step, level;
};

Level meeting(double score, double slope, double other_score, double other_slope) {
  if (slope == other_slope) return {0, infinity};  // no line is flatter (steeper) than the best one
  const double step = (other_score - score) / (slope - other_slope);
  return {step, score + step * slope};
}

}  // namespace

std::uint32_t first_best(std::span<const double> values) {
  if (values.empty()) return 0;
  return static_cast<std::uint32_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

void upper_envelope(std::span<const double> scores, std::span<const double> slopes, std::uint32_t best,
                    EnvelopeSpace& space, std::vector<Segment>& out) {
  out.clear();
  const std::size_t size = scores.size();
  if (size == 0) return;

  // The flattest and the steepest slope, and the highest line of each.
  double flattest = infinity, steepest = -infinity;
  for (std::size_t i = 0; i < size; ++i) {
    flattest = slopes[i] < flattest ? slopes[i] : flattest;
    steepest = slopes[i] > steepest ? slopes[i] : steepest;
  }
  const double slope = slopes[best], score = scores[best];
  if (flattest == steepest) {
    out.push_back({-infinity, best});
    return;
  }
  double flattest_score = -infinity, steepest_score = -infinity;
  for (std::size_t i = 0; i < size; ++i) {
    const double as_flattest = slopes[i] == flattest ? scores[i] : -infinity;
    const double as_steepest = slopes[i] == steepest ? scores[i] : -infinity;
    flattest_score = as_flattest > flattest_score ? as_flattest : flattest_score;
    steepest_score = as_steepest > steepest_score ? as_steepest : steepest_score;
  }
  const Level flat = meeting(score, slope, flattest_score, flattest);
  const Level steep = meeting(score, slope, steepest_score, steepest);

  // Whatever can be seen: a superset of the envelope. The two extreme lines lie on their level themselves.
  space.left.resize(size + 1);
  std::uint32_t* kept = space.left.data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool flatter = slopes[i] < slope;
    const Level& side = flatter ? flat : steep;
    const bool extreme = ((slopes[i] == flattest) & (scores[i] == flattest_score)) |
                         ((slopes[i] == steepest) & (scores[i] == steepest_score));
    const bool seen = (slopes[i] != slope) & ((scores[i] + side.step * slopes[i] > side.level) | extreme);
    kept[count] = static_cast<std::uint32_t>(i);
    count += seen | (i == best);
  }
  std::sort(kept, kept + count, [&](std::uint32_t a, std::uint32_t b) {
    if (slopes[a] != slopes[b]) return slopes[a] < slopes[b];
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    return a < b;
  });

  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t line = kept[k];
    if (!out.empty() && slopes[out.back().index] == slopes[line]) continue;  // parallel and not higher
    double start = -infinity;
    while (!out.empty()) {
      const std::uint32_t top = out.back().index;
      start = (scores[top] - scores[line]) / (slopes[line] - slopes[top]);
      if (start > out.back().start) break;
      out.pop_back();
      start = -infinity;
    }
    out.push_back({start, line});
  }
}

}  // namespace tunesmith
