// Arrays as the bindings of tuners take them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "base/finite.hpp"
#include "bind/search/candidates.hpp"
#include "tuning/losses/lists.hpp"

namespace tunesmith::bind {

using Changed = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ChangedRows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline Lists lists_of(const HeldLists& held) {
  return {held.lists.offsets, held.lists.matrix.rows()};
}

// An error that names the first number that is not finite.
inline void check_finite(std::span<const double> values, const char* what) {
  if (all_finite(values)) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(std::string(what) + " must be finite numbers; number " + std::to_string(i) + " is not");
}

// The same for weights that have just changed.
inline void check_touched(std::span<const double> weights, std::span<const std::uint32_t> touched) {
  for (const std::uint32_t id : touched)
    if (!std::isfinite(weights[id]))
      throw Error("weights must be finite numbers; number " + std::to_string(id) + " is not");
}

}  // namespace tunesmith::bind
