#include "tuning/online/margin_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/finite.hpp"

namespace tunesmith {
namespace {

double dot(const SparseVectors& vectors, std::size_t a, std::size_t b) {
  auto i = static_cast<std::size_t>(vectors.offsets[a]), j = static_cast<std::size_t>(vectors.offsets[b]);
  const auto i_end = static_cast<std::size_t>(vectors.offsets[a + 1]);
  const auto j_end = static_cast<std::size_t>(vectors.offsets[b + 1]);
  double sum = 0;
  while (i < i_end && j < j_end) {
    if (vectors.ids[i] < vectors.ids[j]) {
      ++i;
    } else if (vectors.ids[j] < vectors.ids[i]) {
      ++j;
    } else {
      sum += vectors.values[i++] * vectors.values[j++];
    }
  }
  return sum;
}

void check(const SparseVectors& vectors, const Margins& margins, const MarginOptions& options) {
  const auto& offsets = vectors.offsets;
  if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()) ||
      offsets.back() != static_cast<std::int64_t>(vectors.ids.size()) ||
      vectors.ids.size() != vectors.values.size())
    throw Error("offsets must rise from 0 to the number of ids and values");
  if (margins.scores.size() != vectors.size()) throw Error("there must be one score for each vector");
  if (margins.better.size() != margins.worse.size() || margins.better.size() != margins.losses.size())
    throw Error("there must be one better, one worse and one loss for each margin");
  for (const auto& places : {margins.better, margins.worse})
    for (const std::uint32_t place : places)
      if (place >= vectors.size()) throw Error("a margin names a vector that is not there");
  if (!all_finite(vectors.values) || !all_finite(margins.scores) || !all_finite(margins.losses))
    throw Error("features, scores and losses must be finite numbers");
  if (!(options.cap > 0) || !std::isfinite(options.cap)) throw Error("the step cap must be above 0");
}

// The program, with the derivatives of its value by each α kept as α changes.
class Program {
 public:
  Program(const SparseVectors& vectors, const Margins& margins, const MarginOptions& options)
      : margins_(margins), options_(options), size_(margins.losses.size()), vectors_(vectors.size()) {
    products_.resize(vectors_ * vectors_);
    for (std::size_t a = 0; a < vectors_; ++a)
      for (std::size_t b = a; b < vectors_; ++b)
        products_[a * vectors_ + b] = products_[b * vectors_ + a] = dot(vectors, a, b);
    scores_.assign(margins.scores.begin(), margins.scores.end());
    solution_.multipliers.resize(size_);
    solution_.coefficients.resize(vectors_);
  }

  MarginSolution solve() {
    double largest = 0;
    for (std::size_t p = 0; p < size_; ++p) largest = std::max(largest, margin_loss(p));
    const double enough = options_.tol * options_.cap * largest;
    for (solution_.steps = 0; solution_.steps < options_.steps; ++solution_.steps)
      if (!(options_.bound == MarginBound::sum ? pair_step(enough) : single_step(enough))) break;
    solution_.gap = gap();
    return std::move(solution_);
  }

 private:
  // loss - Δs under the present weights: the derivative by α.
  double margin_loss(std::size_t p) const {
    return margins_.losses[p] - (scores_[margins_.better[p]] - scores_[margins_.worse[p]]);
  }
  double product(std::size_t a, std::size_t b) const { return products_[a * vectors_ + b]; }
  // Δh_p · Δh_q.
  double curvature(std::size_t p, std::size_t q) const {
    const std::size_t a = margins_.better[p], b = margins_.worse[p], c = margins_.better[q], d = margins_.worse[q];
    return product(a, c) - product(a, d) - product(b, c) + product(b, d);
  }
  void add(std::size_t p, double by) {
    solution_.multipliers[p] = std::max(0.0, solution_.multipliers[p] + by);
    const std::size_t better = margins_.better[p], worse = margins_.worse[p];
    solution_.coefficients[better] += by;
    solution_.coefficients[worse] -= by;
    for (std::size_t v = 0; v < vectors_; ++v) scores_[v] += by * (product(v, better) - product(v, worse));
  }

  // What is left of C is a coordinate too, of derivative 0, so that the sum of all is C.
  bool pair_step(double enough) {
    const std::size_t none = size_;
    double highest = 0, lowest = left() > 0 ? 0 : std::numeric_limits<double>::infinity();
    std::size_t up = none, down = none;
    for (std::size_t p = 0; p < size_; ++p) {
      const double derivative = margin_loss(p);
      if (derivative > highest) highest = derivative, up = p;
      if (solution_.multipliers[p] > 0 && derivative < lowest) lowest = derivative, down = p;
    }
    if (up == down || !(options_.cap * (highest - lowest) > enough)) return false;
    double curved = 0;
    if (up != none) curved += curvature(up, up);
    if (down != none) curved += curvature(down, down);
    if (up != none && down != none) curved -= 2 * curvature(up, down);
    const double most = down == none ? left() : solution_.multipliers[down];
    const double step = curved > 0 ? std::min(most, (highest - lowest) / curved) : most;
    if (down != none) {
      add(down, -step);
      if (step == most) solution_.multipliers[down] = 0;
    }
    if (up != none) add(up, step);
    used_ += (up == none ? 0 : step) - (down == none ? 0 : step);
    if (down == none && step == most) used_ = options_.cap;
    return step > 0;
  }
  double left() const { return std::max(0.0, options_.cap - used_); }

  bool single_step(double enough) {
    double best = 0, by = 0;
    std::size_t at = size_;
    for (std::size_t p = 0; p < size_; ++p) {
      const double derivative = margin_loss(p), curved = curvature(p, p), alpha = solution_.multipliers[p];
      double step = curved > 0       ? derivative / curved
                    : derivative > 0 ? options_.cap
                    : derivative < 0 ? -options_.cap
                                     : 0.0;
      step = std::clamp(step, -alpha, options_.cap - alpha);
      const double gain = step * derivative - 0.5 * curved * step * step;
      if (gain > best) best = gain, by = step, at = p;
    }
    if (at == size_ || !(gap() > enough)) return false;
    const bool full = by == options_.cap - solution_.multipliers[at];
    add(at, by);
    if (full) solution_.multipliers[at] = options_.cap;
    return true;
  }

  // Gap between the primal value, in which every slack is what the margin lacks, and the dual value.
  double gap() const {
    double slack = 0, paid = 0;
    for (std::size_t p = 0; p < size_; ++p) {
      const double lacking = margin_loss(p);
      if (options_.bound == MarginBound::sum)
        slack = std::max(slack, lacking);
      else
        slack += std::max(0.0, lacking);
      paid += solution_.multipliers[p] * lacking;
    }
    return std::max(0.0, options_.cap * slack - paid);
  }

  const Margins& margins_;
  const MarginOptions& options_;
  std::size_t size_, vectors_;
  std::vector<double> products_, scores_;
  double used_ = 0;  // Σ α
  MarginSolution solution_;
};

}  // namespace

MarginSolution solve_margins(const SparseVectors& vectors, const Margins& margins, const MarginOptions& options) {
  check(vectors, margins, options);
  return Program(vectors, margins, options).solve();
}

}  // namespace tunesmith
