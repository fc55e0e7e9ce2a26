// Word lattices: what other tools read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/derivations.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// Arcs run from smaller to larger states; 0 is the start and the last state the end. The score of a path is the
// sum of the scores of its arcs. Arcs are ordered by the state they leave, then as they were made.
struct Lattice {
  static constexpr std::int32_t no_word = -1;
  std::uint32_t states = 0;
  std::vector<std::uint32_t> from, to;
  std::vector<std::int32_t> words;  // or no_word
  std::vector<double> scores;
};

// Whether every edge has at most one tail and appends to it. Then the graph is a lattice.
bool is_lattice(const Hypergraph& graph);

// Makes a lattice whose paths are the derivations of the graph, one for one: an edge is a chain of arcs, its score
// on the first of them. Throws Error unless is_lattice(graph).
Lattice to_lattice(const Hypergraph& graph, std::span<const double> scores);

// Makes a lattice whose paths are the derivations of the list (each string once, by its first derivation).
// Beginnings are shared; the score is on the last arc.
Lattice to_lattice(const Derivations& derivations);

}  // namespace tunesmith
