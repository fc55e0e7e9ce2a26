#include "tuning/sorted_l1.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "tuning/magnitude_order.hpp"

namespace tunesmith {
namespace {

// Neighbours in the order of magnitudes that get one value, the mean of theirs. Block b begins at begins[b] and ends
// where the next one begins; sums[b] is the sum of its values.
struct Blocks {
  std::unique_ptr<double[]> sums;
  std::unique_ptr<std::uint32_t[]> begins;
  std::size_t count = 0;
};

// Pools what would turn the order round: a larger mean behind a smaller one. Means are compared as products, since
// a division for each would take longer than all the rest.
template <class Penalty>
Blocks pool(std::span<const double> w, const MagnitudeOrder& order, const Penalty& penalty, double step) {
  const auto size = static_cast<std::uint32_t>(order.size());
  if (size == 0) return {};
  Blocks blocks{std::make_unique_for_overwrite<double[]>(size),
                std::make_unique_for_overwrite<std::uint32_t[]>(size + std::size_t{1}), 0};
  // Values first, blocks then in the same place: there are never more blocks than values that were looked at.
  double* values = blocks.sums.get();
  std::uint32_t* begins = blocks.begins.get();
  for (std::uint32_t i = 0; i < size; ++i) values[i] = std::abs(w[order.place(i)]) - step * penalty(i);
  std::size_t below = 0;  // blocks under the last one, which is (sum, count, begin)
  double sum = values[0], count = 1;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 1; i < size; ++i) {
    const double next = values[i];
    if (sum > next * count) {
      values[below] = sum;
      begins[below++] = begin;
      sum = next, count = 1, begin = i;
      continue;
    }
    sum += next, ++count;
    while (below > 0) {
      const double last_count = begin - begins[below - 1];
      if (values[below - 1] * count > sum * last_count) break;
      --below;
      sum += values[below], count += last_count, begin = begins[below];
    }
  }
  values[below] = sum;
  begins[below++] = begin;
  begins[below] = size;
  blocks.count = below;
  return blocks;
}

template <bool with_groups, class Penalty>
void prox(std::span<const double> w, const Penalty& penalty, double step, std::span<double> out,
          EqualGroups* groups) {
  // |x_i| ≤ |w_i| - step · (least penalty): the mean of a block from i on is at most that. So these cannot survive.
  const double above = w.empty() ? 0.0 : step * penalty(w.size() - 1);
  const MagnitudeOrder order(w, above, "weight");
  if (order.size() > 0 && std::abs(w[order.place(0)]) > 1e280)  // sums and products would overflow
    throw Error("weight " + std::to_string(order.place(0)) + " is too large: up to 1e280 was expected");
  const Blocks blocks = pool(w, order, penalty, step);
  if constexpr (with_groups) {
    *groups = {std::vector<std::int32_t>(w.size(), -1), {}, {}};
    const std::size_t most = std::min(2 * blocks.count, order.size());
    groups->weights.reserve(most);
    groups->sizes.reserve(most);
  }
  if (order.size() < w.size()) std::fill(out.begin(), out.end(), 0.0);
  double value = std::numeric_limits<double>::infinity();
  std::int32_t group_of_sign[] = {-1, -1};
  std::uint32_t end = 0;
  for (std::size_t b = 0; b < blocks.count && blocks.sums[b] > 0; ++b) {
    const std::uint32_t begin = end;
    end = blocks.begins[b + 1];
    const double mean = end - begin == 1 ? blocks.sums[b] : blocks.sums[b] / (end - begin);
    if (mean < value) {  // otherwise rounding made one of two blocks
      value = mean;
      group_of_sign[0] = group_of_sign[1] = -1;
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t place = order.place(i);
      const bool negative = order.negative(i);
      out[place] = negative ? -value : value;
      if constexpr (with_groups) {
        std::int32_t& group = group_of_sign[negative];
        if (group < 0) {
          group = static_cast<std::int32_t>(groups->weights.size());
          groups->weights.push_back(negative ? -value : value);
          groups->sizes.push_back(0);
        }
        groups->of[place] = group;
        ++groups->sizes[static_cast<std::size_t>(group)];
      }
    }
  }
  if (order.size() == w.size())
    for (std::size_t i = end; i < order.size(); ++i) out[order.place(i)] = 0.0;
}

template <class Penalty>
void prox(std::span<const double> w, const Penalty& penalty, double step, std::span<double> out,
          EqualGroups* groups) {
  if (out.size() != w.size()) throw Error("`out` must be as long as the weights");
  if (!(step >= 0) || !std::isfinite(step)) throw Error("the step must be a number of at least 0");
  if (groups == nullptr)
    prox<false>(w, penalty, step, out, groups);
  else
    prox<true>(w, penalty, step, out, groups);
}

void check_oscar(std::size_t weights, const OscarPenalty& penalty) {
  if (!(penalty.l1 >= 0) || !(penalty.l2 >= 0) || !std::isfinite(penalty.l1) || !std::isfinite(penalty.l2))
    throw Error("the strengths l1 and l2 must be numbers of at least 0");
  if (penalty.dimension < weights)
    throw Error("a dimension of " + std::to_string(penalty.dimension) + " is too small for " +
                std::to_string(weights) + " weights");
}

}  // namespace

void prox_sorted_l1(std::span<const double> w, std::span<const double> penalties, double step,
                    std::span<double> out, EqualGroups* groups) {
  if (penalties.size() < w.size())
    throw Error("there must be one penalty for each weight; there are " + std::to_string(penalties.size()) +
                " penalties for " + std::to_string(w.size()) + " weights");
  for (std::size_t i = 0; i < penalties.size(); ++i)
    if (!std::isfinite(penalties[i]) || penalties[i] < 0 || (i > 0 && penalties[i] > penalties[i - 1]))
      throw Error("penalties must not increase and not be negative; penalty " + std::to_string(i) +
                  " does not fit");
  prox(w, [&](std::size_t i) { return penalties[i]; }, step, out, groups);
}

void prox_oscar(std::span<const double> w, const OscarPenalty& penalty, double step, std::span<double> out,
                EqualGroups* groups) {
  check_oscar(w.size(), penalty);
  prox(w, penalty, step, out, groups);
}

double oscar_value(std::span<const double> w, const OscarPenalty& penalty) {
  check_oscar(w.size(), penalty);
  const MagnitudeOrder order(w, 0.0, "weight");
  double value = 0;
  for (std::size_t i = 0; i < order.size(); ++i) value += std::abs(w[order.place(i)]) * penalty(i);
  return value;
}

void check_indices(std::span<const std::int64_t> indices, std::size_t dimension) {
  bool rising = true;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || static_cast<std::uint64_t>(indices[i]) >= dimension)
      throw Error("index " + std::to_string(indices[i]) + " is outside of the " + std::to_string(dimension) +
                  " features");
    rising &= i == 0 || indices[i - 1] < indices[i];
  }
  if (rising) return;
  std::vector<std::int64_t> sorted(indices.begin(), indices.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error("index " + std::to_string(*twice) + " is given twice");
}

}  // namespace tunesmith
