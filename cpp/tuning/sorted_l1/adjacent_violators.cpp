#include "tuning/sorted_l1/adjacent_violators.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/narrow.hpp"
#include "base/vectorize.hpp"

#if TUNESMITH_X86_VECTORS
#include <immintrin.h>
#endif

namespace tunesmith {
namespace {

// Bit k: numbers[k] is not below the number before it. Bits from `size` on are 0.
std::uint64_t violations_plain(const double* numbers, std::size_t size) {
  std::uint64_t found = 0;
  for (std::size_t k = 0; k < size; ++k)
    found |= static_cast<std::uint64_t>(numbers[k] >= *(numbers + k - 1)) << k;
  return found;
}

#if TUNESMITH_X86_VECTORS

__attribute__((target("avx2"))) std::uint64_t violations_avx2(const double* numbers) {
  std::uint64_t found = 0;
#pragma GCC unroll 16
  for (int k = 0; k < 64; k += 4) {
    const __m256d falls_not =
        _mm256_cmp_pd(_mm256_loadu_pd(numbers + k), _mm256_loadu_pd(numbers + k - 1), _CMP_GE_OQ);
    found |= static_cast<std::uint64_t>(_mm256_movemask_pd(falls_not)) << k;
  }
  return found;
}

__attribute__((target("avx512f"))) std::uint64_t violations_avx512(const double* numbers) {
  std::uint64_t found = 0;
#pragma GCC unroll 8
  for (int k = 0; k < 64; k += 8) {
    const __mmask8 falls_not =
        _mm512_cmp_pd_mask(_mm512_loadu_pd(numbers + k), _mm512_loadu_pd(numbers + k - 1), _CMP_GE_OQ);
    found |= static_cast<std::uint64_t>(falls_not) << k;
  }
  return found;
}

#endif

std::uint64_t violations(const double* numbers, std::size_t size, [[maybe_unused]] Vectors vectors) {
#if TUNESMITH_X86_VECTORS
  if (size == 64 && vectors == Vectors::avx512) return violations_avx512(numbers);
  if (size == 64 && vectors == Vectors::avx2) return violations_avx2(numbers);
#endif
  return violations_plain(numbers, size);
}

// A choice by bits: which neighbour pools is as random as a coin, and a branch would often be wrong.
inline double choose(bool first, double one, double other) {
  const std::uint64_t mask = -static_cast<std::uint64_t>(first);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(one) & mask) |
                               (std::bit_cast<std::uint64_t>(other) & ~mask));
}

// More numbers than this are summed up in vectors.
constexpr std::size_t few = 8;

// The sum of many numbers, always in the same order: eight sums side by side.
TUNESMITH_VECTORIZED_512 double sum_of(const double* numbers, std::size_t size) {
  double sums[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= size; k += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += numbers[k + lane];
  for (; k < size; ++k) sums[k % 8] += numbers[k];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// A block of neighbours with one mean.
struct Block {
  std::uint32_t begin, end;
  double sum;
  double count() const { return end - begin; }
};

// The numbers while they are pooled. Two numbers that are a block both hold its mean, and their counts are 2: so
// they are one look away from either side. The last number of a larger block holds its sum, the last of `counts`
// its count. A number alone is its own sum, with a count of 1.
struct Pooling {
  double* numbers;
  std::uint32_t* counts;
  std::uint32_t* last_end;  // the end of the last block of more than two numbers

  void pair(std::size_t second) {
    double* pair = numbers + second - 1;
    pair[0] = pair[1] = (pair[0] + pair[1]) * 0.5;
    std::uint32_t* count = counts + second - 1;
    count[0] = count[1] = 2;
  }

  // Numbers that rise one after the other are one block: `run` of them from `second` on are not below the number
  // in front of them. The very first and the very last may be one of a pair.
  Block rising(std::uint32_t second, std::size_t run) const {
    const std::uint32_t first = second - 1, last = first + static_cast<std::uint32_t>(run);
    Block block{second - counts[first], last + counts[last], numbers[first] * counts[first]};
    if (run > few)
      block.sum += sum_of(numbers + second, run - 1);
    else
      for (std::uint32_t k = second; k < last; ++k) block.sum += numbers[k];
    block.sum += numbers[last] * counts[last];
    return block;
  }

  // Pools `block` with its neighbours until it is below the one in front and above what stands after it, a number
  // or a pair. Means are compared as products, since a division for each would take longer than all the rest.
  void settle(Block& block) {
    while (true) {
      const double in_front = *(numbers + block.begin - 1), behind = numbers[block.end];
      const std::uint32_t count_in_front = *(counts + block.begin - 1), count_behind = counts[block.end];
      const double sum_in_front = in_front * (count_in_front == 2 ? 2.0 : 1.0);
      const bool right = !(block.sum > behind * block.count());
      const bool left = !(sum_in_front * block.count() > block.sum * count_in_front);
      if (!(right | left)) break;
      block.sum += choose(right, behind * count_behind, sum_in_front);
      block.end += count_behind & (right ? ~0U : 0U);
      block.begin -= count_in_front & (right ? 0U : ~0U);
      last_end -= !right & (count_in_front > 2) ? 1 : 0;
    }
    if (block.end - block.begin == 2) return pair(block.end - 1);
    numbers[block.end - 1] = block.sum;
    counts[block.end - 1] = block.end - block.begin;
    *++last_end = block.end;
  }
};

// `found` without the bits up to and including `last`.
inline std::uint64_t bits_behind(std::uint64_t found, std::size_t last) {
  return last >= 63 ? 0 : found >> (last + 1) << (last + 1);
}

// Bits without a neighbour; of the first and the last one nothing is known.
inline std::uint64_t alone(std::uint64_t found) {
  return found & ~(found << 1 | 1) & ~(found >> 1 | 1ULL << 63);
}

}  // namespace

void pool_adjacent_violators(std::span<double> given, std::uint32_t* room, Vectors vectors) {
  const auto size = narrow<std::uint32_t>(given.size());
  double* numbers = given.data();
  *(numbers - 1) = std::numeric_limits<double>::infinity();
  numbers[size] = -std::numeric_limits<double>::infinity();
  std::uint32_t* counts = room + 1;
  std::fill_n(room, size + std::size_t{2}, 1U);
  std::uint32_t* ends = counts + size;
  Pooling pooling{numbers, counts, ends};
  const auto violations_from = [&](std::size_t from) {
    return from < size ? violations(numbers + from, std::min<std::size_t>(64, size - from), vectors) : 0;
  };
  std::size_t settled = 0;  // nothing pools across the places up to here any more, unless a later block does
  for (std::size_t from = 0; from < size; from += 64) {
    std::uint64_t found = violations_from(from);
    if (settled >= from) found = bits_behind(found, settled - from);
    // Most violations stand alone, and most of those pairs do not pool any further: they are made without a branch
    // that could be guessed wrongly, and examined again together. Not next to what is settled, which would
    // not be examined again.
    std::uint64_t pairs = alone(found);
    if (settled >= from) pairs = bits_behind(pairs, settled + 1 - from);
    for (std::uint64_t rest = pairs; rest != 0; rest &= rest - 1)
      pooling.pair(from + static_cast<std::size_t>(std::countr_zero(rest)));
    if (pairs != 0) {
      found = violations_from(from) & ~pairs;
      if (settled >= from) found = bits_behind(found, settled - from);
    }
    while (found != 0) {
      const int bit = std::countr_zero(found);
      std::size_t run = static_cast<std::size_t>(std::countr_one(found >> bit));
      if (static_cast<std::size_t>(bit) + run == 64)
        for (std::size_t further = from + 64, more = 64; more == 64; further += 64)
          run += more = static_cast<std::size_t>(std::countr_one(violations_from(further)));
      Block block = pooling.rising(static_cast<std::uint32_t>(from) + static_cast<std::uint32_t>(bit), run);
      pooling.settle(block);
      settled = block.end;
      found = bits_behind(found, settled - from);
    }
  }
  for (const std::uint32_t* end = ends + 1; end <= pooling.last_end; ++end) numbers[*end - 1] /= counts[*end - 1];
  for (const std::uint32_t* end = ends + 1; end <= pooling.last_end; ++end) {
    const std::uint32_t count = counts[*end - 1];
    double* block = numbers + *end - count;
    // Where rounding brought a mean up to the one before or below the number after, they become one.
    const double mean = std::min(numbers[*end - 1], *(block - 1));
    block[0] = block[1] = block[2] = mean;
    block[3] = choose(count > 3, mean, block[3]);
    for (std::uint32_t k = 4; k < count; ++k) block[k] = mean;
    for (double* behind = numbers + *end; *behind > mean; ++behind) *behind = mean;
  }
}

}  // namespace tunesmith
