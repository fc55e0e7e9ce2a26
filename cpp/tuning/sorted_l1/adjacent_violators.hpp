// Isotonic regression by pooling adjacent violators (Barlow et al. 1972).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vectors.hpp"

namespace tunesmith {

// Replaces numbers by the nearest ones that do not increase (least squares): neighbours that would turn the order
// round get one value, the mean of theirs. Numbers in different blocks differ afterwards, unless rounding made
// their means equal. `numbers` can be written one place before and one place after; `room` is for 1.5 · size + 3
// integers. O(size). The numbers are at most 1e290 in magnitude.
void pool_adjacent_violators(std::span<double> numbers, std::uint32_t* room, Vectors vectors = widest_vectors());

}  // namespace tunesmith
