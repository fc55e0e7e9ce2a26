// Numbers from places in any order, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vectors.hpp"

namespace tunesmith {

// to[i] = from[at[i]] for `size` numbers, every at[i] below 2³¹. Neither `from` nor `at` is written.
void gather(const double* from, const std::uint32_t* at, std::size_t size, double* to, Vectors vectors);
void gather(const std::uint32_t* from, const std::uint32_t* at, std::size_t size, std::uint32_t* to,
            Vectors vectors);

// For those who do more with the numbers than copy them: `use(begin, end, found)` for one part after the other,
// found[i - begin] = from[at[i]]. A part stays in the fastest cache, and `use` may write to `at`.
template <class Number, class Use>
void gather_in_parts(const Number* from, const std::uint32_t* at, std::size_t size, Vectors vectors,
                     const Use& use) {
  constexpr std::size_t part = 256;
  Number found[part];
  for (std::size_t begin = 0; begin < size; begin += part) {
    const std::size_t end = size - begin < part ? size : begin + part;
    gather(from, at + begin, end - begin, found, vectors);
    use(begin, end, static_cast<const Number*>(found));
  }
}

}  // namespace tunesmith
