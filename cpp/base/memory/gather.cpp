#include "base/memory/gather.hpp"

#if TUNESMITH_X86_VECTORS
#include <immintrin.h>
#endif

namespace tunesmith {
namespace {

template <class Number>
void gather_plain(const Number* from, const std::uint32_t* at, std::size_t size, Number* to) {
  for (std::size_t i = 0; i < size; ++i) to[i] = from[at[i]];
}

#if TUNESMITH_X86_VECTORS

// How many were copied: whole vectors. (With all bits of a mask: GCC 12 warns of its own form without one.)
__attribute__((target("avx512f"))) std::size_t gather_avx512(const double* from, const std::uint32_t* at,
                                                             std::size_t size, double* to) {
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i));
    _mm512_storeu_pd(to + i, _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xFF, places, from, sizeof(double)));
  }
  return i;
}

__attribute__((target("avx512f"))) std::size_t gather_avx512(const std::uint32_t* from, const std::uint32_t* at,
                                                             std::size_t size, std::uint32_t* to) {
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    const __m512i places = _mm512_loadu_si512(at + i);
    _mm512_storeu_si512(
        to + i, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xFFFF, places, from, sizeof(std::uint32_t)));
  }
  return i;
}

#endif

// AVX2 can gather too, but hardly faster than one number after the other.
template <class Number>
void gather_any(const Number* from, const std::uint32_t* at, std::size_t size, Number* to,
                [[maybe_unused]] Vectors vectors) {
  std::size_t done = 0;
#if TUNESMITH_X86_VECTORS
  if (vectors == Vectors::avx512) done = gather_avx512(from, at, size, to);
#endif
  gather_plain(from, at + done, size - done, to + done);
}

}  // namespace

void gather(const double* from, const std::uint32_t* at, std::size_t size, double* to, Vectors vectors) {
  gather_any(from, at, size, to, vectors);
}

void gather(const std::uint32_t* from, const std::uint32_t* at, std::size_t size, std::uint32_t* to,
            Vectors vectors) {
  gather_any(from, at, size, to, vectors);
}

}  // namespace tunesmith
