// Whether numbers are finite, many at once.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tunesmith {

// True if none is NaN or infinite, which is: no exponent is all ones. Unlike a loop over std::isfinite that ends
// at the first one, the compiler can do several at a time.
template <class Value>
bool all_finite(std::span<const Value> values) {
  using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = sizeof(Value) == 4 ? Bits{0x7F800000} : static_cast<Bits>(0x7FF0000000000000);
  Bits found = 0;
  for (const Value value : values) found |= (std::bit_cast<Bits>(value) & exponent) == exponent ? 1 : 0;
  return found == 0;
}

}  // namespace tunesmith
