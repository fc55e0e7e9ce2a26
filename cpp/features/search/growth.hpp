// The order in which a search puts a translation together: what features across rules can rely on.
#pragma once

namespace tunesmith {

enum class Growth {
  bottom_up,    // parts are joined on both sides, so a state must know the left border and the right one
  appended,     // each edge appends to one tail; source spans are nested
  by_coverage,  // each edge appends to one tail; source words are covered in any order (Combination::covered)
};

inline bool appends(Growth growth) {
  return growth != Growth::bottom_up;
}

}  // namespace tunesmith
