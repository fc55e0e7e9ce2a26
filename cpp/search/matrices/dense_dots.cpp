#include "search/matrices/dense_dots.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#if defined(__x86_64__) && defined(__GNUC__)
#define TUNESMITH_AVX2
#include <immintrin.h>
#endif

namespace tunesmith {

#ifdef TUNESMITH_AVX2
namespace {

#define TUNESMITH_TARGET __attribute__((target("avx2"))) inline

TUNESMITH_TARGET __m256d four(const float* at) {
  return _mm256_cvtps_pd(_mm_loadu_ps(at));
}
TUNESMITH_TARGET __m256d four(const double* at) {
  return _mm256_loadu_pd(at);
}
// Reads the numbers of four that the mask has, and gives zeros for the others.
TUNESMITH_TARGET __m256d some(const float* at, __m256i mask) {
  const __m256i packed = _mm256_permutevar8x32_epi32(mask, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  return _mm256_cvtps_pd(_mm_maskload_ps(at, _mm256_castsi256_si128(packed)));
}
TUNESMITH_TARGET __m256d some(const double* at, __m256i mask) {
  return _mm256_maskload_pd(at, mask);
}

// Groups of four columns, the last one perhaps not full; w has 4 · Groups entries.
template <std::size_t Groups, class Value>
__attribute__((target("avx2"))) void narrow_rows(const Value* rows, std::size_t count, std::size_t width,
                                                 const double* w, double* out) {
  __m256d weights[Groups];
  for (std::size_t g = 0; g < Groups; ++g) weights[g] = _mm256_loadu_pd(w + 4 * g);
  const auto last = static_cast<std::int64_t>(width - 4 * (Groups - 1));
  const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(last), _mm256_setr_epi64x(0, 1, 2, 3));
  for (std::size_t r = 0; r < count; ++r, rows += width) {
    __m256d sum = _mm256_setzero_pd();
    for (std::size_t g = 0; g + 1 < Groups; ++g)
      sum = _mm256_add_pd(sum, _mm256_mul_pd(weights[g], four(rows + 4 * g)));
    sum = _mm256_add_pd(sum, _mm256_mul_pd(weights[Groups - 1], some(rows + 4 * (Groups - 1), mask)));
    const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
    out[r] = _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves))) + 0.0;
  }
}

template <class Value>
bool quick_dots(const Value* rows, std::size_t count, std::size_t width, const double* w, double* out) {
  using Kernel = void (*)(const Value*, std::size_t, std::size_t, const double*, double*);
  static constexpr Kernel kernels[] = {narrow_rows<1, Value>, narrow_rows<2, Value>, narrow_rows<3, Value>,
                                       narrow_rows<4, Value>, narrow_rows<5, Value>, narrow_rows<6, Value>,
                                       narrow_rows<7, Value>, narrow_rows<8, Value>};
  static const bool able = __builtin_cpu_supports("avx2") != 0;
  const std::size_t groups = (width + 3) / 4;
  if (!able || width == 0 || groups > std::size(kernels)) return false;
  double padded[4 * std::size(kernels)] = {};
  std::copy(w, w + width, padded);
  kernels[groups - 1](rows, count, width, padded, out);
  return true;
}

}  // namespace
#endif

template <class Value>
void dense_dots(const Value* rows, std::size_t count, std::size_t width, const double* w, double* out) {
#ifdef TUNESMITH_AVX2
  if (quick_dots(rows, count, width, w, out)) return;
#endif
  dense_dots_portable(rows, count, width, w, out);
}

template void dense_dots(const float*, std::size_t, std::size_t, const double*, double*);
template void dense_dots(const double*, std::size_t, std::size_t, const double*, double*);

}  // namespace tunesmith
