// Which vectors this machine has, for the few loops that are written in its own instructions.
#pragma once

#include <initializer_list>

// Functions for AVX2 and AVX-512 can be compiled here (and are only called where the machine has them).
#if defined(__x86_64__) && defined(__GNUC__)
#define TUNESMITH_X86_VECTORS 1
#else
#define TUNESMITH_X86_VECTORS 0
#endif

namespace tunesmith {

// Every loop with a choice gives the same bytes for all of them.
enum class Vectors { plain, avx2, avx512 };

inline bool has_vectors(Vectors vectors) {
#if TUNESMITH_X86_VECTORS
  if (vectors == Vectors::avx2) return __builtin_cpu_supports("avx2") != 0;
  if (vectors == Vectors::avx512) return __builtin_cpu_supports("avx512f") != 0;
#endif
  return vectors == Vectors::plain;
}

inline Vectors widest_vectors() {
  static const Vectors widest = [] {
    for (const Vectors vectors : {Vectors::avx512, Vectors::avx2})
      if (has_vectors(vectors)) return vectors;
    return Vectors::plain;
  }();
  return widest;
}

}  // namespace tunesmith
