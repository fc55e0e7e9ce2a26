#include "search/graphs/lattice.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"

namespace tunesmith {
namespace {

void add_arc(Lattice& lattice, std::uint32_t from, std::uint32_t to, std::int32_t word, double score) {
  lattice.from.push_back(from);
  lattice.to.push_back(to);
  lattice.words.push_back(word);
  lattice.scores.push_back(score);
}

void sort_arcs(Lattice& lattice) {
  std::vector<std::size_t> order(lattice.from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lattice.from[a] < lattice.from[b]; });
  Lattice sorted;
  sorted.states = lattice.states;
  for (const std::size_t i : order)
    add_arc(sorted, lattice.from[i], lattice.to[i], lattice.words[i], lattice.scores[i]);
  lattice = std::move(sorted);
}

}  // namespace

bool is_lattice(const Hypergraph& graph) {
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
    const std::size_t tails = graph.tails_of(edge).size();
    if (tails > 1 || (tails == 1 && graph.symbols_of(edge).front() != -1)) return false;
  }
  return true;
}

Lattice to_lattice(const Hypergraph& graph, std::span<const double> scores) {
  if (!is_lattice(graph))
    throw Error(
        "this graph is not a lattice: an edge has two tails or puts words before its tail. "
        "Take the lattice of the k best");
  Lattice lattice;
  if (graph.nodes() == 0) return lattice;
  // States in the order of nodes; those inside a chain right before the node it leads to.
  if (graph.symbols.size() >= std::numeric_limits<std::uint32_t>::max() - graph.nodes() - 1)
    throw Error("the graph has too many symbols for a lattice");
  lattice.states = 1;
  std::vector<std::uint32_t> state_of(graph.nodes());
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    const EdgeId first = graph.node_edges[node], last = graph.node_edges[node + 1];
    std::uint32_t inner = lattice.states;
    for (EdgeId edge = first; edge < last; ++edge) {
      const std::size_t words = graph.symbols_of(edge).size() - graph.tails_of(edge).size();
      if (words > 1) lattice.states += static_cast<std::uint32_t>(words - 1);
    }
    state_of[node] = lattice.states++;
    for (EdgeId edge = first; edge < last; ++edge) {
      const bool appends = !graph.tails_of(edge).empty();
      const std::span<const std::int32_t> words = graph.symbols_of(edge).subspan(appends ? 1 : 0);
      std::uint32_t at = appends ? state_of[graph.tails_of(edge)[0]] : 0;
      if (words.empty()) add_arc(lattice, at, state_of[node], Lattice::no_word, scores[edge]);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint32_t next = i + 1 == words.size() ? state_of[node] : inner++;
        add_arc(lattice, at, next, words[i], i == 0 ? scores[edge] : 0.0);
        at = next;
      }
    }
  }
  sort_arcs(lattice);
  return lattice;
}

Lattice to_lattice(const Derivations& derivations) {
  Lattice lattice;
  if (derivations.size() == 0) return lattice;
  // A tree of beginnings. The end is not known before, so arcs to it are set at last.
  constexpr std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
  lattice.states = 1;
  std::unordered_map<std::uint64_t, std::uint32_t> child;
  std::unordered_set<std::uint64_t> ended;
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    const std::span<const std::int32_t> words = derivations.words_of(i);
    std::uint32_t at = 0;
    for (std::size_t j = 0; j + 1 < words.size(); ++j) {
      const std::uint64_t key = static_cast<std::uint64_t>(at) << 32 | static_cast<std::uint32_t>(words[j]);
      const auto [found, fresh] = child.try_emplace(key, lattice.states);
      if (fresh) add_arc(lattice, at, lattice.states++, words[j], 0.0);
      at = found->second;
    }
    const std::int32_t last = words.empty() ? Lattice::no_word : words.back();
    const std::uint64_t key = static_cast<std::uint64_t>(at) << 32 | static_cast<std::uint32_t>(last);
    if (ended.insert(key).second) add_arc(lattice, at, end, last, derivations.scores[i]);
  }
  for (std::uint32_t& to : lattice.to)
    if (to == end) to = lattice.states;
  ++lattice.states;
  sort_arcs(lattice);
  return lattice;
}

}  // namespace tunesmith
