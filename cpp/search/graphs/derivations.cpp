#include "search/graphs/derivations.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

// Walks a derivation in the order of its words: `word(i, s)` for symbol s of the i-th edge in pre-order when it is
// a word, `slot(i, s)` before the words of a tail. Pre-order and target order differ where a rule swaps its tails,
// so the place where each subtree begins is found first.
template <class Word, class Slot>
void walk(const Hypergraph& graph, std::span<const EdgeId> edges, Word word, Slot slot) {
  // sizes[i]: edges of the subtree whose top is the i-th; from the back, since tails follow their edge.
  std::vector<std::uint32_t> sizes(edges.size(), 1);
  for (std::size_t i = edges.size(); i-- > 0;)
    for (std::size_t tail = 0; tail < graph.tails_of(edges[i]).size(); ++tail) sizes[i] += sizes[i + sizes[i]];

  struct Frame {
    std::size_t edge, symbol;
  };
  std::vector<Frame> stack;
  if (!edges.empty()) stack.push_back({0, 0});
  while (!stack.empty()) {
    const std::size_t i = stack.back().edge;
    const std::span<const std::int32_t> symbols = graph.symbols_of(edges[i]);
    std::size_t& at = stack.back().symbol;
    while (at < symbols.size() && symbols[at] >= 0) word(i, at++);
    if (at == symbols.size()) {
      stack.pop_back();
      continue;
    }
    slot(i, at);
    std::size_t child = i + 1;
    for (std::int32_t tail = -1 - symbols[at]; tail > 0; --tail) child += sizes[child];
    ++at;
    stack.push_back({child, 0});
  }
}

// Sorts the pairs by id and adds up those of the same id, in the order given.
template <class Value>
void finish_row(std::vector<std::pair<std::uint32_t, Value>>& row, SparseRows<Value>& out) {
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, value] : row) {
    if (out.ids.size() > out.offsets.back() && out.ids.back() == id) {
      out.values.back() += value;
    } else {
      out.ids.push_back(id);
      out.values.push_back(value);
    }
  }
  out.offsets.push_back(out.ids.size());
  row.clear();
}

template <class IdOf>
SparseRows<std::uint32_t> counts(const Derivations& derivations, IdOf id_of) {
  SparseRows<std::uint32_t> out;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> row;
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    for (const EdgeId edge : derivations.edges_of(i)) row.emplace_back(id_of(edge), 1);
    finish_row(row, out);
  }
  return out;
}

}  // namespace

void refuse_size() {
  throw Error("a derivation of this graph has more than " + std::to_string(max_derivation_edges) +
              " edges or words");
}

void check_derivation(const Hypergraph& graph, std::span<const EdgeId> edges) {
  const auto wrong = [] { throw Error("these edges are not a derivation of the goal in pre-order"); };
  std::vector<NodeId> open;  // nodes still to derive, the next one last
  if (graph.nodes() == 0) wrong();
  open.push_back(graph.goal());
  for (const EdgeId edge : edges) {
    if (edge >= graph.edges() || open.empty()) wrong();
    const NodeId node = open.back();
    open.pop_back();
    if (edge < graph.node_edges[node] || edge >= graph.node_edges[node + 1]) wrong();
    const std::span<const NodeId> tails = graph.tails_of(edge);
    open.insert(open.end(), tails.rbegin(), tails.rend());
  }
  if (!open.empty()) wrong();
}

void append_words(const Hypergraph& graph, std::span<const EdgeId> edges, std::vector<std::int32_t>& words) {
  const std::size_t before = words.size();
  walk(
      graph, edges,
      [&](std::size_t i, std::size_t symbol) {
        if (words.size() - before == max_derivation_words) refuse_size();
        words.push_back(graph.symbols_of(edges[i])[symbol]);
      },
      [](std::size_t, std::size_t) {});
}

std::vector<std::uint32_t> symbol_positions(const Hypergraph& graph, std::span<const EdgeId> edges) {
  std::vector<std::size_t> begins{0};
  for (const EdgeId edge : edges) begins.push_back(begins.back() + graph.symbols_of(edge).size());
  std::vector<std::uint32_t> positions(begins.back());
  std::uint32_t next = 0;
  walk(
      graph, edges, [&](std::size_t i, std::size_t symbol) { positions[begins[i] + symbol] = next++; },
      [&](std::size_t i, std::size_t symbol) { positions[begins[i] + symbol] = next; });
  return positions;
}

SparseRows<std::uint32_t> application_counts(const Hypergraph& graph, const Derivations& derivations) {
  return counts(derivations, [&](EdgeId edge) { return graph.edge_application[edge]; });
}

SparseRows<std::uint32_t> rule_counts(const Hypergraph& graph, const Derivations& derivations) {
  return counts(derivations, [&](EdgeId edge) { return graph.applications[graph.edge_application[edge]].rule; });
}

std::vector<double> dense_sums(const Hypergraph& graph, const Derivations& derivations) {
  const std::size_t width = graph.dense_ids.size();
  std::vector<double> sums(derivations.size() * width);
  for (std::size_t i = 0; i < derivations.size(); ++i)
    for (const EdgeId edge : derivations.edges_of(i))
      for (std::size_t j = 0; j < width; ++j) sums[i * width + j] += static_cast<double>(graph.dense_of(edge)[j]);
  return sums;
}

SparseRows<double> sparse_sums(const Hypergraph& graph, const Derivations& derivations) {
  SparseRows<double> out;
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    for (const EdgeId edge : derivations.edges_of(i)) {
      const std::span<const std::uint32_t> ids = graph.sparse_ids_of(edge);
      for (std::size_t j = 0; j < ids.size(); ++j)
        row.emplace_back(ids[j], static_cast<double>(graph.sparse_values_of(edge)[j]));
    }
    finish_row(row, out);
  }
  return out;
}

}  // namespace tunesmith
