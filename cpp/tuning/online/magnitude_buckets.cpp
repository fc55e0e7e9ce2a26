#include "tuning/online/magnitude_buckets.hpp"

#include <algorithm>

#if TUNESMITH_X86_VECTORS
#include <immintrin.h>
#endif

namespace tunesmith {
namespace {

// Eight neighbours are ranked at once.
constexpr std::size_t lanes = 8;

// Places that hold everything in the buckets of eight neighbours: nothing before them is smaller, nothing behind
// them larger than any of the eight.
struct Window {
  std::ptrdiff_t begin, end;
};

inline Window window_of(const Buckets& buckets, std::size_t i, std::size_t last) {
  return {static_cast<std::ptrdiff_t>(buckets.starts[buckets.map(buckets.magnitudes[i])]),
          static_cast<std::ptrdiff_t>(buckets.starts[buckets.map(buckets.magnitudes[last]) + 1])};
}

// Nearly always the window is within these bounds: then a loop of fixed length over all of them takes its place.
// What it sees besides is larger than all eight (and counts as before them, which it is) or smaller.
constexpr std::ptrdiff_t before = Buckets::margin, span = 3 * Buckets::margin;

inline bool is_usual(Window window, std::size_t i) {
  const auto here = static_cast<std::ptrdiff_t>(i);
  return window.begin >= here - before && window.end <= here - before + span;
}

inline void put(const Buckets& buckets, std::size_t i, std::size_t count, const std::uint32_t* found,
                std::uint32_t* ranks, double* sorted) {
  for (std::size_t lane = 0; lane < count; ++lane) {
    ranks[i + lane] = found[lane];
    sorted[found[lane]] = buckets.magnitudes[i + lane];
  }
}

void rank_plain(const Buckets& buckets, std::size_t begin, std::size_t end, std::uint32_t first,
                std::uint32_t* ranks, double* sorted) {
  for (std::size_t i = begin; i < end; i += lanes) {
    const std::size_t count = std::min(lanes, end - i);
    const Window window = window_of(buckets, i, i + count - 1);
    std::uint32_t found[lanes];
    std::fill_n(found, lanes, first + static_cast<std::uint32_t>(window.begin));
    for (std::ptrdiff_t j = window.begin; j < window.end; ++j)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        found[lane] += buckets.magnitudes[j] > buckets.magnitudes[i + lane] ? 1U : 0U;
    put(buckets, i, count, found, ranks, sorted);
  }
}

#if TUNESMITH_X86_VECTORS

__attribute__((target("avx2"))) void rank_avx2(const Buckets& buckets, std::size_t begin, std::size_t end,
                                               std::uint32_t first, std::uint32_t* ranks, double* sorted) {
  const double* magnitudes = buckets.magnitudes;
  const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  for (std::size_t i = begin; i < end; i += lanes) {
    const std::size_t count = std::min(lanes, end - i);
    Window window = window_of(buckets, i, i + count - 1);
    const __m256d low = _mm256_loadu_pd(magnitudes + i), high = _mm256_loadu_pd(magnitudes + i + 4);
    __m256i larger_low = _mm256_setzero_si256(), larger_high = larger_low;
    if (is_usual(window, i)) {
      window.begin = static_cast<std::ptrdiff_t>(i) - before;
#pragma GCC unroll 24
      for (std::ptrdiff_t j = 0; j < span; ++j) {
        const __m256d other = _mm256_broadcast_sd(magnitudes + window.begin + j);
        larger_low = _mm256_sub_epi64(larger_low, _mm256_castpd_si256(_mm256_cmp_pd(other, low, _CMP_GT_OQ)));
        larger_high = _mm256_sub_epi64(larger_high, _mm256_castpd_si256(_mm256_cmp_pd(other, high, _CMP_GT_OQ)));
      }
    } else {
      for (std::ptrdiff_t j = window.begin; j < window.end; ++j) {
        const __m256d other = _mm256_broadcast_sd(magnitudes + j);
        larger_low = _mm256_sub_epi64(larger_low, _mm256_castpd_si256(_mm256_cmp_pd(other, low, _CMP_GT_OQ)));
        larger_high = _mm256_sub_epi64(larger_high, _mm256_castpd_si256(_mm256_cmp_pd(other, high, _CMP_GT_OQ)));
      }
    }
    const __m256i packed = _mm256_blend_epi32(_mm256_permutevar8x32_epi32(larger_low, even),
                                              _mm256_permutevar8x32_epi32(larger_high, even), 0xF0);
    const __m256i offset = _mm256_set1_epi32(static_cast<int>(first + static_cast<std::uint32_t>(window.begin)));
    std::uint32_t found[lanes];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(found), _mm256_add_epi32(packed, offset));
    if (count == lanes)
      put(buckets, i, lanes, found, ranks, sorted);
    else
      put(buckets, i, count, found, ranks, sorted);
  }
}

__attribute__((target("avx512f"))) void rank_avx512(const Buckets& buckets, std::size_t begin, std::size_t end,
                                                    std::uint32_t first, std::uint32_t* ranks, double* sorted) {
  const double* magnitudes = buckets.magnitudes;
  const __m512i one = _mm512_set1_epi64(1);
  for (std::size_t i = begin; i < end; i += lanes) {
    const std::size_t count = std::min(lanes, end - i);
    Window window = window_of(buckets, i, i + count - 1);
    const __m512d eight = _mm512_loadu_pd(magnitudes + i);
    __m512i larger = _mm512_setzero_si512(), larger_odd = larger;
    if (is_usual(window, i)) {
      window.begin = static_cast<std::ptrdiff_t>(i) - before;
      const double* other = magnitudes + window.begin;
#pragma GCC unroll 12
      for (std::ptrdiff_t j = 0; j < span; j += 2) {
        const __mmask8 even = _mm512_cmp_pd_mask(eight, _mm512_set1_pd(other[j]), _CMP_LT_OQ);
        const __mmask8 odd = _mm512_cmp_pd_mask(eight, _mm512_set1_pd(other[j + 1]), _CMP_LT_OQ);
        larger = _mm512_mask_add_epi64(larger, even, larger, one);
        larger_odd = _mm512_mask_add_epi64(larger_odd, odd, larger_odd, one);
      }
      larger = _mm512_add_epi64(larger, larger_odd);
    } else {
      for (std::ptrdiff_t j = window.begin; j < window.end; ++j) {
        const __mmask8 is_larger = _mm512_cmp_pd_mask(eight, _mm512_set1_pd(magnitudes[j]), _CMP_LT_OQ);
        larger = _mm512_mask_add_epi64(larger, is_larger, larger, one);
      }
    }
    const __m256i offset = _mm256_set1_epi32(static_cast<int>(first + static_cast<std::uint32_t>(window.begin)));
    const __m256i found = _mm256_add_epi32(_mm512_maskz_cvtepi64_epi32(0xFF, larger), offset);
    if (count == lanes) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(ranks + i), found);
      _mm512_i32scatter_pd(sorted, found, eight, sizeof(double));
    } else {
      std::uint32_t few[lanes];
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(few), found);
      put(buckets, i, count, few, ranks, sorted);
    }
  }
}

#endif

}  // namespace

void rank_within_buckets(const Buckets& buckets, std::size_t begin, std::size_t end, std::uint32_t first,
                         std::uint32_t* ranks, double* sorted, [[maybe_unused]] Vectors vectors) {
#if TUNESMITH_X86_VECTORS
  if (vectors == Vectors::avx512) return rank_avx512(buckets, begin, end, first, ranks, sorted);
  if (vectors == Vectors::avx2) return rank_avx2(buckets, begin, end, first, ranks, sorted);
#endif
  rank_plain(buckets, begin, end, first, ranks, sorted);
}

}  // namespace tunesmith
