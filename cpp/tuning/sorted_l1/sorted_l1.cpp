#include "tuning/sorted_l1/sorted_l1.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/memory/gather.hpp"
#include "base/vectorize.hpp"
#include "tuning/online/magnitude_ranks.hpp"
#include "tuning/sorted_l1/adjacent_violators.hpp"

namespace tunesmith {
namespace {

// Larger weights are refused: sums and products of them would overflow.
constexpr double largest_weight = 1e280;

// What a penalty leaves of a weight, and not less than what any number of weights cannot make up for: penalties
// may be so large that they overflow.
inline double bounded(double difference) {
  constexpr double least = -1e10 * largest_weight;
  return difference > least ? difference : least;
}

TUNESMITH_VECTORIZED_512 void subtract(const OscarPenalty& penalty, double step, std::size_t size,
                                       double* sorted) {
  const double l1 = penalty.l1, l2 = penalty.l2, last = static_cast<double>(penalty.dimension - 1);
  // The penalty of OscarPenalty; ranks are below 2³¹, and integers of 32 bits become doubles in vectors.
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size); ++i)
    sorted[i] = bounded(sorted[i] - step * (l1 + l2 * (last - static_cast<double>(i))));
}

TUNESMITH_VECTORIZED_512 void subtract(std::span<const double> penalties, double step, std::size_t size,
                                       double* sorted) {
  for (std::size_t i = 0; i < size; ++i) sorted[i] = bounded(sorted[i] - step * penalties[i]);
}

// The magnitude with a sign, 0 without. By its bits: signs are as random as a coin, and a branch would be wrong
// every other time.
inline double with_sign(double magnitude, std::uint64_t negative) {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  return std::bit_cast<double>(bits | (bits != 0 ? negative << 63 : 0));
}

TUNESMITH_VECTORIZED_512 void with_signs(const double* magnitudes, const double* w, std::size_t size,
                                         double* out) {
  for (std::size_t i = 0; i < size; ++i)
    out[i] = with_sign(magnitudes[i], std::bit_cast<std::uint64_t>(w[i]) >> 63);
}

// by_rank[rank] with the signs of the weights, 0 for those that were not ranked.
void write(std::span<const double> w, MagnitudeRanks& ranks, const double* by_rank, std::span<double> out) {
  const bool in_order = ranks.nearly_sorted();
  const double* magnitudes = in_order ? by_rank : ranks.at_places(by_rank);
  if (ranks.size() == w.size()) {
    gather_in_parts(magnitudes, in_order ? ranks.ranks_at() : ranks.places(), w.size(), widest_vectors(),
                    [&](std::size_t begin, std::size_t end, const double* found) {
                      with_signs(found, w.data() + begin, end - begin, out.data() + begin);
                    });
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    out[ranks.given_at(i)] = with_sign(magnitudes[ranks.place(i)], ranks.negative(i));
}

// `least`: the penalty of the last rank.
template <class Penalty>
void prox(std::span<const double> w, const Penalty& penalty, double least, double step, std::span<double> out) {
  if (out.size() != w.size()) throw Error("`out` must be as long as the weights");
  if (!(step >= 0) || !std::isfinite(step)) throw Error("the step must be a number of at least 0");
  // |x_i| ≤ |w_i| - step · (least penalty): the mean of a block from i on is at most that. So these cannot
  // survive.
  const double above = step * least;
  MagnitudeRanks ranks(w, above, "weight");
  double* sorted = ranks.sorted();
  const std::size_t size = ranks.size();
  if (size > 0) {
    if (sorted[0] > largest_weight)
      for (std::size_t i = 0; i < w.size(); ++i)
        if (std::abs(w[i]) == sorted[0])
          throw Error("weight " + std::to_string(i) + " is too large; it must be at most 1e280");
    subtract(penalty, step, size, sorted);
    pool_adjacent_violators({sorted, size}, reinterpret_cast<std::uint32_t*>(ranks.spare()));
    for (std::size_t i = size; i > 0 && !(sorted[i - 1] > 0); --i) sorted[i - 1] = 0.0;
  }
  write(w, ranks, sorted, out);
}

TUNESMITH_VECTORIZED_512 bool strictly_rising(const std::int64_t* numbers, std::size_t size) {
  std::int64_t falls = 0;
  for (std::size_t i = 1; i < size; ++i) falls += numbers[i - 1] < numbers[i] ? 0 : 1;
  return falls == 0;
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
                    std::span<double> out) {
  if (penalties.size() < w.size())
    throw Error("there must be one penalty for each weight; there are " + std::to_string(penalties.size()) +
                " penalties for " + std::to_string(w.size()) + " weights");
  for (std::size_t i = 0; i < penalties.size(); ++i)
    if (!std::isfinite(penalties[i]) || penalties[i] < 0 || (i > 0 && penalties[i] > penalties[i - 1]))
      throw Error("penalties must not increase and not be negative; penalty " + std::to_string(i) +
                  " does not fit");
  prox(w, penalties, w.empty() ? 0.0 : penalties[w.size() - 1], step, out);
}

void prox_oscar(std::span<const double> w, const OscarPenalty& penalty, double step, std::span<double> out) {
  check_oscar(w.size(), penalty);
  prox(w, penalty, w.empty() ? 0.0 : penalty(w.size() - 1), step, out);
}

EqualGroups equal_groups(std::span<const double> w) {
  MagnitudeRanks ranks(w, 0.0, "weight");
  const std::size_t size = ranks.size();
  const bool all = size == w.size();
  // All without branches: which of +v and -v there are is as random as a coin. At twice the rank of a magnitude:
  // how many are above 0; after it, how many below.
  auto* counts = reinterpret_cast<std::uint32_t*>(ranks.spare());
  std::fill_n(counts, 2 * size, 0U);
  const auto key = [&](std::size_t i) {
    const bool negative = all ? std::signbit(w[i]) : ranks.negative(i);
    return 2 * std::size_t{ranks.rank(i)} + (negative ? 1 : 0);
  };
  for (std::size_t i = 0; i < size; ++i) ++counts[key(i)];
  const double* sorted = ranks.sorted();
  std::size_t magnitudes = size;  // that are not 0
  while (magnitudes > 0 && sorted[magnitudes - 1] == 0) --magnitudes;

  EqualGroups groups;
  groups.of = make_scratch<std::int32_t>(w.size());
  groups.weights = make_scratch<double>(magnitudes + 1);  // the last is overwritten, or not needed
  groups.sizes = make_scratch<std::int64_t>(magnitudes + 1);
  for (std::size_t i = 0; i < 2 * magnitudes; ++i) {
    const std::uint32_t count = counts[i];
    groups.weights[groups.count] = with_sign(sorted[i / 2], i % 2);
    groups.sizes[groups.count] = count;
    counts[i] = static_cast<std::uint32_t>(groups.count);
    groups.count += count > 0 ? 1 : 0;
  }
  std::fill(counts + 2 * magnitudes, counts + 2 * size, ~0U);  // 0 is in no group: -1
  if (!all) std::fill_n(groups.of.get(), w.size(), -1);
  for (std::size_t i = 0; i < size; ++i)
    groups.of[all ? i : ranks.given_at(i)] = static_cast<std::int32_t>(counts[key(i)]);
  return groups;
}

double oscar_value(std::span<const double> w, const OscarPenalty& penalty) {
  check_oscar(w.size(), penalty);
  const MagnitudeRanks ranks(w, 0.0, "weight");
  double value = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) value += ranks.sorted()[i] * penalty(i);
  return value;
}

void check_indices(std::span<const std::int64_t> indices, std::size_t dimension) {
  const bool rising = strictly_rising(indices.data(), indices.size());
  // The first and the last of rising numbers decide.
  if (rising &&
      (indices.empty() || (indices.front() >= 0 && static_cast<std::uint64_t>(indices.back()) < dimension)))
    return;
  for (const std::int64_t index : indices)
    if (index < 0 || static_cast<std::uint64_t>(index) >= dimension)
      throw Error("index " + std::to_string(index) + " is outside of the " + std::to_string(dimension) +
                  " features");
  if (dimension / 64 <= indices.size()) {
    std::vector<std::uint64_t> seen(dimension / 64 + 1, 0);
    for (const std::int64_t index : indices) {
      std::uint64_t& word = seen[static_cast<std::uint64_t>(index) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (index % 64);
      if ((word & bit) != 0) throw Error("index " + std::to_string(index) + " is given twice");
      word |= bit;
    }
    return;
  }
  std::vector<std::int64_t> sorted(indices.begin(), indices.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error("index " + std::to_string(*twice) + " is given twice");
}

}  // namespace tunesmith
