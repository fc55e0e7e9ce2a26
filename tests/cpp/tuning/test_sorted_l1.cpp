#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/memory/workspace.hpp"
#include "base/vectors.hpp"
#include "check.hpp"
#include "tuning/losses/random.hpp"
#include "tuning/online/magnitude_ranks.hpp"
#include "tuning/sorted_l1/adjacent_violators.hpp"
#include "tuning/sorted_l1/sorted_l1.hpp"

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

// Against the definition, in every kind of vectors.
void check_ranks(const std::vector<double>& numbers) {
  std::vector<double> sorted(numbers);
  for (double& x : sorted) x = std::abs(x);
  std::sort(sorted.rbegin(), sorted.rend());
  for (const Vectors vectors : every_kind) {
    if (!has_vectors(vectors)) continue;
    const MagnitudeRanks ranks(numbers, -1.0, "number", vectors);
    CHECK(ranks.size() == numbers.size());
    CHECK(std::equal(sorted.begin(), sorted.end(), ranks.sorted()));
    bool right = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto first = std::lower_bound(sorted.begin(), sorted.end(), std::abs(numbers[i]), std::greater<>());
      right &= ranks.rank(i) == static_cast<std::uint32_t>(first - sorted.begin());
    }
    CHECK(right);
  }
}

// Two crowds, the smaller of which has more buckets: memory that was enough for the first is not for the second.
std::vector<double> two_crowds() {
  std::vector<double> numbers;
  for (int i = 0; i < 140000; ++i) numbers.push_back(2 + i * 1e-13);
  for (int i = 0; i < 130000; ++i) numbers.push_back(1 + i * 1e-13);
  Random random(1);
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[random.below(static_cast<std::uint32_t>(i))]);
  return numbers;
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
    for (const std::uint32_t kinds : {1U, 30U, 1000U, 2000000000U}) check_ranks(numbers_of(size, size, kinds));
  // A bucket may hold one more than 16 bits can count.
  for (const std::size_t size : {2049, 65536, 65537}) check_ranks(numbers_of(size, size, 2000000000U));
  std::vector<double> crowd(65536, 1.0);
  crowd[65535] = std::nextafter(1.0, 2.0);
  check_ranks(crowd);
  crowd.push_back(-1.0);
  check_ranks(crowd);
  check_ranks(two_crowds());
}

TEST(numbers_of_few_magnitudes_are_ranked_by_their_buckets) {
  // Around every size at which something else is done, and past the numbers that are examined first.
  for (const std::size_t size : {17, 33, 511, 512, 513, 2047, 2048, 2049, 20000, 65536, 65537, 131072, 131073})
    for (const std::uint32_t kinds : {1U, 2U, 20U, 400U}) check_ranks(numbers_of(size, size, kinds));
  for (const double number : {0.0, -3.0, 5e-324}) check_ranks(std::vector<double>(1000, number));
  // Two neighbours share a bucket: far after the others, at the end, or all over.
  std::vector<double> numbers = numbers_of(1, 5000, 10);
  for (const std::size_t step : {5000, 4000, 1000, 7}) {
    for (std::size_t i = step - 1; i < numbers.size(); i += step) numbers[i] = std::nextafter(numbers[i], 2.0);
    check_ranks(numbers);
  }
  // Both zeros are one magnitude, and so close to the least numbers that nothing lies between.
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i % 5) * 5e-324 * (i % 2 == 0 ? 1.0 : -1.0);
  check_ranks(numbers);
  for (std::size_t i = 0; i < numbers.size(); i += 3) numbers[i] = 1e300;
  check_ranks(numbers);
}

TEST(weights_may_be_replaced_by_their_point) {
  for (const std::uint32_t kinds : {1U, 20U, 2000000000U})
    for (const bool in_order : {false, true}) {
      std::vector<double> w = numbers_of(5, 3000, kinds), out(w.size());
      if (in_order) std::sort(w.begin(), w.end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
      w[1] = -0.0;
      prox_oscar(w, {w.size(), 1e-3, 1e-4}, 1, out);
      prox_oscar(w, {w.size(), 1e-3, 1e-4}, 1, w);
      CHECK(w == out);
      CHECK(std::none_of(w.begin(), w.end(), [](double x) { return x == 0 && std::signbit(x); }));
    }
}

TEST(numbers_that_are_nearly_in_order_are_ranked_where_they_are) {
  for (const std::size_t size : {1, 2, 63, 64, 65, 300, 3000})
    for (const std::uint32_t kinds : {1U, 30U, 2000000000U})
      for (const std::size_t displaced : {std::size_t{0}, std::size_t{1}, size / 60, size / 20, size / 2}) {
        std::vector<double> numbers = numbers_of(size, size, kinds);
        std::sort(numbers.begin(), numbers.end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
        const std::vector<double> others = numbers_of(size + 1, displaced, kinds);
        Random random(kinds);
        for (const double other : others) numbers[random.below(static_cast<std::uint32_t>(size))] = other;
        check_ranks(numbers);
        if (displaced <= size / 60) CHECK(MagnitudeRanks(numbers, -1.0, "number").nearly_sorted());
      }
  // Two halves that fall are not nearly in order: half of them would have to move.
  std::vector<double> halves(4000);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = 4000 - static_cast<double>(i % 2000) * 2;
  check_ranks(halves);
  CHECK(!MagnitudeRanks(halves, -1.0, "number").nearly_sorted());
  // The first number is the smallest, and nothing is left of the order in front of it.
  std::vector<double> low_first(200, 1.0);
  low_first[0] = 0;
  check_ranks(low_first);
}

TEST(pooling_agrees_with_the_formula_in_every_kind_of_vectors) {
  for (const std::size_t size : {1, 2, 3, 63, 64, 65, 150, 260})
    for (const std::uint32_t kinds : {1U, 3U, 2000000000U})
      for (const double fall : {-2.0, 0.0, 0.02, 0.1, 0.5, 1.0}) {  // from one block to none
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
