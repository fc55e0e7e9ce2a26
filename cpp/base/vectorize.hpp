// Loops over plain arrays in the widest vectors the machine has.
#pragma once

// Before a function: it is compiled for any x86-64 and for machines with AVX2, and the right one is taken
// when the program is loaded. Only for loops whose results do not depend on the width of a vector: element by
// element, or with a fixed number of accumulators. (No fused multiply-add: -ffp-contract=off.) The sanitizers
// cannot start such programs, other compilers and machines get the plain loop. The second also for AVX-512, where
// that has been measured to be faster.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TUNESMITH_VECTORIZED __attribute__((target_clones("default", "avx2")))
#define TUNESMITH_VECTORIZED_512 __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define TUNESMITH_VECTORIZED
#define TUNESMITH_VECTORIZED_512
#endif
