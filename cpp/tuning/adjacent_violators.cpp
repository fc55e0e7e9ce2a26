#include "tuning/adjacent_violators.hpp"

#include <algorithm>
#include <bit>
#include <limits>

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

// A block of neighbours with one mean.
struct Block {
  std::uint32_t begin, end;
  double sum;
  double count() const { return end - begin; }
};

// The numbers while they are pooled. The last number of a block holds its sum, and its count is in `counts`; a
// number alone is its own sum. So what stands in front of a block is one look away, be it a block or a number.
struct Pooling {
  double* numbers;
  std::uint32_t* counts;
  std::uint32_t* last_end;  // the end of the last block of more than one number

  // Pools `block` with its neighbours until it is below the one in front and above the number behind it. Means are
  // compared as products, since a division for each would take longer than all the rest.
  void settle(Block& block) {
    while (true) {
      const double in_front = *(numbers + block.begin - 1), behind = numbers[block.end];
      const std::uint32_t count_in_front = *(counts + block.begin - 1);
      const bool right = !(block.sum > behind * block.count());
      const bool left = !(in_front * block.count() > block.sum * count_in_front);
      if (!(right | left)) break;
      block.sum += choose(right, behind, in_front);
      block.end += right ? 1 : 0;
      block.begin -= count_in_front & (right ? 0U : ~0U);
      last_end -= !right & (count_in_front > 1) ? 1 : 0;
    }
    numbers[block.end - 1] = block.sum;
    counts[block.end - 1] = block.end - block.begin;
    *++last_end = block.end;
  }
};

// `found` without the bits up to and including `last`.
inline std::uint64_t bits_behind(std::uint64_t found, std::size_t last) {
  return last >= 63 ? 0 : found >> (last + 1) << (last + 1);
}

}  // namespace

void pool_adjacent_violators(std::span<double> given, std::uint32_t* room, Vectors vectors) {
  const auto size = static_cast<std::uint32_t>(given.size());
  double* numbers = given.data();
  *(numbers - 1) = std::numeric_limits<double>::infinity();
  numbers[size] = -std::numeric_limits<double>::infinity();
  std::uint32_t* counts = room + 1;
  std::fill_n(room, size + std::size_t{1}, 1U);
  std::uint32_t* ends = counts + size;
  Pooling pooling{numbers, counts, ends};
  std::size_t settled = 0;  // nothing pools across the places up to here any more, unless something behind does
  for (std::size_t from = 0; from < size; from += 64) {
    std::uint64_t found = violations(numbers + from, std::min<std::size_t>(64, size - from), vectors);
    if (settled >= from) found = bits_behind(found, settled - from);
    while (found != 0) {
      const int bit = std::countr_zero(found);
      const int run = std::countr_one(found >> bit);  // numbers that rise one after the other are one block
      const auto second = static_cast<std::uint32_t>(from) + static_cast<std::uint32_t>(bit);
      Block block{second - 1, second + 1, *(numbers + second - 1) + numbers[second]};
      const bool third = run > 1;
      block.sum += choose(third, numbers[block.end], 0.0);
      block.end += third ? 1 : 0;
      for (int k = 2; k < run; ++k) block.sum += numbers[block.end++];
      pooling.settle(block);
      settled = block.end;
      found = bits_behind(found, settled - from);
    }
  }
  for (const std::uint32_t* end = ends + 1; end <= pooling.last_end; ++end) numbers[*end - 1] /= counts[*end - 1];
  for (const std::uint32_t* end = ends + 1; end <= pooling.last_end; ++end) {
    const std::uint32_t count = counts[*end - 1];
    double* block = numbers + *end - count;
    // Where rounding brought a mean up to the one before or below the number behind, they become one.
    const double mean = std::min(numbers[*end - 1], *(block - 1));
    block[0] = block[1] = mean;
    block[2] = choose(count > 2, mean, block[2]);
    for (std::uint32_t k = 3; k < count; ++k) block[k] = mean;
    for (double* behind = numbers + *end; *behind > mean; ++behind) *behind = mean;
  }
}

}  // namespace tunesmith
