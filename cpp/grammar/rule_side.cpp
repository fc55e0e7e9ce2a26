#include "grammar/rule_side.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace tunesmith {

HashedKey side_key(std::span<const Symbol> side) {
  std::uint64_t high = side.size(), low = 0x5851F42D4C957F2Du;
  for (const Symbol symbol : side) {
    const auto value = static_cast<std::uint64_t>(static_cast<std::uint32_t>(is_gap(symbol) ? first_gap : symbol));
    high = mix(high, value);
    low = mix(low ^ value, 0xA0761D6478BD642Fu);
  }
  return {high, static_cast<std::uint32_t>(low)};
}

bool is_swapped(std::span<const Symbol> target) {
  const auto gap = std::find_if(target.begin(), target.end(), is_gap);
  return gap != target.end() && *gap == second_gap;
}

}  // namespace tunesmith
