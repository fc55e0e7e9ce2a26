// Every derivation of a graph that has few.
#pragma once

#include <cstddef>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/kept_derivations.hpp"

namespace tunesmith {

// In the order of the goal's edges; those of an edge by the derivations of its first tail, then of the next. A
// graph made of a list has them in the order of the list. Throws Error if there are more than `most`.
DerivationEdges all_derivations(const Hypergraph& graph, std::size_t most);

}  // namespace tunesmith
