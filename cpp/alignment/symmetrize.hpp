// Joining the alignments of the two directions into one (Och and Ney 2003; Koehn et al. 2003).
#pragma once

#include "alignment/links.hpp"

namespace tunesmith {

enum class Symmetrization {
  intersection,
  unite,
  grow_diag,        // intersection, grown over neighbouring and diagonal points of the union (Koehn et al. 2003)
  grow_diag_final,  // then points of either direction that align a word still unaligned on one side
  grow_diag_final_and,  // the same, but both words must be unaligned still
  diag_and,             // grown as grow_diag, but only by points whose two words are both unaligned still
};

// Pairs are joined one by one; both directions have their links as (source, target) of the same languages.
// The result does not depend on the number of threads.
Alignments symmetrize(const Alignments& forward, const Alignments& backward, Symmetrization how, int threads);

}  // namespace tunesmith
