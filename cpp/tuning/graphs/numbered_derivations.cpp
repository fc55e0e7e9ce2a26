#include "tuning/graphs/numbered_derivations.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "base/narrow.hpp"
#include "search/graphs/derivations.hpp"

namespace tunesmith {

std::uint32_t NumberedDerivations::number(const Hypergraph& graph, std::size_t sentence,
                                          std::span<const EdgeId> edges, KnownTranslations& known,
                                          std::vector<std::int32_t>& words) {
  Table& table = tables_[sentence];
  if (2 * table.used >= table.places.size()) grow(table);
  const std::uint64_t hash =
      std::hash<std::string_view>{}({reinterpret_cast<const char*>(edges.data()), edges.size_bytes()});
  const std::size_t last = table.places.size() - 1;  // all bits set
  std::size_t at = hash & last;
  for (; table.places[at].number != none; at = (at + 1) & last) {
    const Place& place = table.places[at];
    if (place.hash == hash && std::ranges::equal(std::span(table.edges).subspan(place.begin, place.size), edges))
      return place.number;
  }
  words.clear();
  append_words(graph, edges, words);
  const std::uint32_t number = known.number(sentence, words);
  table.places[at] = {hash, narrow<std::uint32_t>(table.edges.size()), narrow<std::uint32_t>(edges.size()),
                      number};
  table.edges.insert(table.edges.end(), edges.begin(), edges.end());
  ++table.used;
  return number;
}

void NumberedDerivations::grow(Table& table) {
  const std::size_t size = std::max<std::size_t>(16, 2 * table.places.size());
  std::vector<Place> places(size, Place{0, 0, 0, none});
  for (const Place& place : table.places) {
    if (place.number == none) continue;
    std::size_t at = place.hash & (size - 1);
    while (places[at].number != none) at = (at + 1) & (size - 1);
    places[at] = place;
  }
  table.places = std::move(places);
}

}  // namespace tunesmith
