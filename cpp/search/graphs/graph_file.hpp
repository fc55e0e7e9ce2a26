// A graph as bytes, for files: sizes, a checksum, then every array as it is in memory.
#pragma once

#include <span>
#include <string>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// The bytes of a graph; their number is a multiple of 8. Little-endian machines write what others of their kind
// read.
std::string pack(const Hypergraph& graph);

// The graph in these bytes, validated. Throws Error with the reason if they are damaged.
Hypergraph unpack(std::span<const char> bytes);

}  // namespace tunesmith
