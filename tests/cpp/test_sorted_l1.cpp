#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/vectors.hpp"
#include "base/workspace.hpp"
#include "check.hpp"
#include "tuning/adjacent_violators.hpp"
#include "tuning/magnitude_ranks.hpp"
#include "tuning/random.hpp"
#include "tuning/sorted_l1.hpp"

using namespace tunesmith;

namespace {

constexpr Vectors every_kind[] = {Vectors::plain, Vectors::avx2, Vectors::avx512};

// Up to 1, in steps of 1 / kinds, either sign: the fewer kinds, the more equals.
std::vector<double> numbers_of(std::uint64_t seed, std::size_t size, std::uint32_t kinds) {
  Random random(seed);
  std::vector<double> numbers(size);
  for (double& x : numbers) x = (random.below(2 * kinds + 1) - static_cast<double>(kinds)) / kinds;
  return numbers;
}

// The nearest numbers that do not increase, by their formula: the least over i ≤ k of the greatest mean of i … j,
// j ≥ k (Robertson et al. 1988, section 1.4). Cubic.
std::vector<double> by_means(const std::vector<double>& numbers) {
  std::vector<double> found(numbers.size(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < numbers.size(); ++k)
    for (std::size_t i = 0; i <= k; ++i) {
      double sum = 0, greatest = -std::numeric_limits<double>::infinity();
      for (std::size_t j = i; j < numbers.size(); ++j) {
        sum += numbers[j];
        if (j >= k) greatest = std::max(greatest, sum / static_cast<double>(j - i + 1));
      }
      found[k] = std::min(found[k], greatest);
    }
  return found;
}

std::vector<double> pooled(const std::vector<double>& numbers, Vectors vectors) {
  std::vector<double> with_room(numbers.size() + 2);
  std::copy(numbers.begin(), numbers.end(), with_room.begin() + 1);
  std::vector<std::uint32_t> room(3 * numbers.size() / 2 + 3);
  pool_adjacent_violators({with_room.data() + 1, numbers.size()}, room.data(), vectors);
  return {with_room.begin() + 1, with_room.end() - 1};
}

}  // namespace

TEST(ranks_count_the_larger_magnitudes_in_every_kind_of_vectors) {
  for (const std::size_t size : {1, 2, 7, 8, 9, 63, 300, 2000})
    for (const std::uint32_t kinds : {1U, 30U, 1000U, 2000000000U}) {
      const std::vector<double> numbers = numbers_of(size, size, kinds);
      std::vector<double> sorted(numbers);
      for (double& x : sorted) x = std::abs(x);
      std::sort(sorted.rbegin(), sorted.rend());
      for (const Vectors vectors : every_kind) {
        if (!has_vectors(vectors)) continue;
        const MagnitudeRanks ranks(numbers, -1.0, "number", vectors);
        CHECK(ranks.size() == size);
        CHECK(std::equal(sorted.begin(), sorted.end(), ranks.sorted()));
        bool right = true;
        for (std::size_t i = 0; i < size; ++i) {
          const auto first = std::find(sorted.begin(), sorted.end(), std::abs(numbers[i]));
          right &= ranks.rank(i) == static_cast<std::uint32_t>(first - sorted.begin());
        }
        CHECK(right);
      }
    }
}

TEST(pooling_agrees_with_the_formula_in_every_kind_of_vectors) {
  for (const std::size_t size : {1, 2, 3, 63, 64, 65, 150})
    for (const std::uint32_t kinds : {1U, 3U, 2000000000U})
      for (const double fall : {0.0, 0.02, 0.1, 1.0}) {  // from one block to none
        std::vector<double> numbers = numbers_of(7 * size + kinds, size, kinds);
        for (std::size_t i = 0; i < size; ++i) numbers[i] -= fall * static_cast<double>(i);
        const std::vector<double> expected = by_means(numbers), plain = pooled(numbers, Vectors::plain);
        for (std::size_t i = 0; i < size; ++i) CHECK(check::near(plain[i], expected[i], 1e-11));
        CHECK(std::is_sorted(plain.rbegin(), plain.rend()));
        for (const Vectors vectors : every_kind)
          if (has_vectors(vectors)) CHECK(pooled(numbers, vectors) == plain);
      }
}

TEST(a_workspace_in_use_is_not_given_away_again) {
  Workspace outer(1000);
  double* first = outer.take<double>(100);
  first[0] = 1;
  {
    Workspace inner(100000);
    inner.take<double>(10000)[0] = 2;
  }
  CHECK(first[0] == 1);
  CHECK(reinterpret_cast<std::uintptr_t>(outer.take<double>(1)) >= reinterpret_cast<std::uintptr_t>(first + 100));
}

TEST(penalties_that_overflow_leave_nothing) {
  const std::vector<double> w{1e280, -3, 2, 1, 1e-300, 0.5, 7, 8}, nothing(8, 0.0);
  std::vector<double> out(8, 1.0);
  prox_oscar(w, {8, 0, 3e307}, 1, out);  // infinite for the first ranks, 0 for the last
  CHECK(out == nothing);
  prox_oscar(w, {8, 0, 3e307}, 1e300, out);
  CHECK(out == nothing);
  prox_sorted_l1(w, std::vector<double>{1e308, 1e308, 1e308, 1e308, 1e308, 1e308, 0, 0}, 1e10, out);
  CHECK(out == nothing);
}
