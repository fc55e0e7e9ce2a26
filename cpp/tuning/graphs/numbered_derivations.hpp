// The translations of derivations that were met before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/known_translations.hpp"

namespace tunesmith {

// Lines that cross meet the same derivations again and again: their words are put together once. For graphs that
// stay the same. Several threads may ask for different sentences.
class NumberedDerivations {
 public:
  explicit NumberedDerivations(std::size_t sentences) : tables_(sentences) {}

  // The number of a derivation's translation. edges: in pre-order. `words` is space.
  std::uint32_t number(const Hypergraph& graph, std::size_t sentence, std::span<const EdgeId> edges,
                       KnownTranslations& known, std::vector<std::int32_t>& words);

 private:
  // A hash table whose free places have the number `none`; edges of all derivations are one after the other.
  struct Place {
    std::uint64_t hash;
    std::uint32_t begin, size, number;
  };
  struct Table {
    std::vector<Place> places;
    std::vector<EdgeId> edges;
    std::size_t used = 0;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static void grow(Table& table);

  std::vector<Table> tables_;
};

}  // namespace tunesmith
