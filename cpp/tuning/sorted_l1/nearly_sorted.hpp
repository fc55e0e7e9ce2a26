// Numbers whose magnitudes fall already, but for a few: ranked by putting those few in their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vectors.hpp"

namespace tunesmith {

// ranks[i] = how many magnitudes are larger than that of the i-th number, and `sorted` the magnitudes, the largest
// first. False, and nothing of use is written, if more than one number in eight or so stands in a wrong place;
// where there is no order at all, that is known after a thousand numbers. Of two neighbours that rise both are
// taken out, until what is left falls (Cook and Kim 1980): at most twice as many as would have to be. These are
// sorted, and put back while the others are copied run by run. `room`: for as many integers as there are numbers.
bool rank_nearly_sorted(std::span<const double> values, double* sorted, std::uint32_t* ranks, std::uint32_t* room,
                        Vectors vectors = widest_vectors());

}  // namespace tunesmith
