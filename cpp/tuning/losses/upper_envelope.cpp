#include "tuning/losses/upper_envelope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/vectorize.hpp"

namespace tunesmith {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = 8;  // independent accumulators, for vectors of any width

double larger(double a, double b) {
  return a > b ? a : b;
}
double smaller(double a, double b) {
  return a < b ? a : b;
}

struct Range {
  double low, high;
};

TUNESMITH_VECTORIZED Range range_of(const double* values, std::size_t size) {
  double low[lanes], high[lanes];
  std::fill(low, low + lanes, infinity);
  std::fill(high, high + lanes, -infinity);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      low[k] = smaller(values[i + k], low[k]);
      high[k] = larger(values[i + k], high[k]);
    }
  for (; i < size; ++i) {
    low[0] = smaller(values[i], low[0]);
    high[0] = larger(values[i], high[0]);
  }
  for (std::size_t k = 1; k < lanes; ++k) {
    low[0] = smaller(low[k], low[0]);
    high[0] = larger(high[k], high[0]);
  }
  return {low[0], high[0]};
}

TUNESMITH_VECTORIZED double highest_of(const double* values, std::size_t size) {
  double high[lanes];
  std::fill(high, high + lanes, -infinity);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) high[k] = larger(values[i + k], high[k]);
  for (; i < size; ++i) high[0] = larger(values[i], high[0]);
  for (std::size_t k = 1; k < lanes; ++k) high[0] = larger(high[k], high[0]);
  return high[0];
}

// The scores of lines of this slope, -∞ for the others.
TUNESMITH_VECTORIZED void scores_at(const double* scores, const double* slopes, std::size_t size, double slope,
                                    double* out) {
  for (std::size_t i = 0; i < size; ++i) out[i] = slopes[i] == slope ? scores[i] : -infinity;
}

TUNESMITH_VECTORIZED void scores_after(const double* scores, const double* slopes, std::size_t size, double step,
                                       double* out) {
  for (std::size_t i = 0; i < size; ++i) out[i] = scores[i] + step * slopes[i];
}

// The line that is highest at a step, or for an infinite one the highest of those with the extreme slope.
std::uint32_t highest_at(std::span<const double> scores, std::span<const double> slopes, double step,
                         std::vector<double>& space) {
  if (std::isfinite(step)) {
    scores_after(scores.data(), slopes.data(), scores.size(), step, space.data());
  } else {
    const Range extremes = range_of(slopes.data(), slopes.size());
    scores_at(scores.data(), slopes.data(), scores.size(), step < 0 ? extremes.low : extremes.high, space.data());
  }
  return first_best({space.data(), scores.size()});
}

// The point where the line of the best candidate meets another one.
struct Meeting {
  double step, score;
};

Meeting meeting(double score, double slope, double other_score, double other_slope) {
  if (slope == other_slope) return {0, infinity};  // no line is flatter (steeper) than the best one
  const double step = (other_score - score) / (slope - other_slope);
  return {step, score + step * slope};
}

// How far each line rises above the higher of the two points; it can be seen where this is not negative. A line
// flatter than the best one is never above the point on the right of step 0, nor a steeper one above that on the
// left.
TUNESMITH_VECTORIZED void heights_above(const double* scores, const double* slopes, std::size_t size, Meeting left,
                                        Meeting right, double* out) {
  for (std::size_t i = 0; i < size; ++i)
    out[i] =
        larger(scores[i] + left.step * slopes[i] - left.score, scores[i] + right.step * slopes[i] - right.score);
}

}  // namespace

std::uint32_t first_best(std::span<const double> values) {
  const double highest = highest_of(values.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == highest) return static_cast<std::uint32_t>(i);
  return 0;
}

void upper_envelope(std::span<const double> scores, std::span<const double> slopes, std::uint32_t best, double low,
                    double high, EnvelopeSpace& space, std::vector<Segment>& out, double parallel) {
  out.clear();
  const std::size_t size = scores.size();
  if (size == 0) return;
  space.heights.resize(size);
  // The argument that discards lines needs step 0 inside the range.
  const std::uint32_t first = highest_at(scores, slopes, low <= 0 ? low : -infinity, space.heights);
  const std::uint32_t last = highest_at(scores, slopes, high >= 0 ? high : infinity, space.heights);
  if (slopes[first] == slopes[best] && slopes[last] == slopes[best]) {
    out.push_back({-infinity, best});
    return;
  }
  const Meeting left = meeting(scores[best], slopes[best], scores[first], slopes[first]);
  const Meeting right = meeting(scores[best], slopes[best], scores[last], slopes[last]);
  double* const heights = space.heights.data();
  heights_above(scores.data(), slopes.data(), size, left, right, heights);

  // The lines that can be seen. The ends of the envelope and the best line lie on the points themselves, but for
  // rounding: whatever is near is kept as well.
  const double near = -1e-9 * (1 + std::abs(scores[best]) + std::abs(scores[first]) + std::abs(scores[last]));
  space.kept.resize(size + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {  // without a branch: who is kept cannot be foreseen
    space.kept[count] = static_cast<std::uint32_t>(i);
    count += heights[i] > near ? 1 : 0;
  }
  space.kept.resize(count);
  std::sort(space.kept.begin(), space.kept.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (slopes[a] != slopes[b]) return slopes[a] < slopes[b];
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    return a < b;
  });

  // Whether a line of (nearly) this slope that is as high is there; lower ones are removed.
  const auto hidden = [&](std::uint32_t line) {
    while (!out.empty() && slopes[line] - slopes[out.back().index] <= parallel) {
      std::uint32_t& top = out.back().index;
      if (scores[line] == scores[top]) top = std::min(top, line);
      if (scores[line] <= scores[top]) return true;
      out.pop_back();
    }
    return false;
  };
  for (const std::uint32_t line : space.kept) {
    if (hidden(line)) continue;
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
