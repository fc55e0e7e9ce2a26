#include "search/graphs/hypergraph.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw Error("this is not a search graph: " + what);
}

// Offsets rise from 0 to `end`; there are `count` + 1 of them.
void check_offsets(std::span<const std::uint32_t> offsets, std::size_t count, std::size_t end, const char* name) {
  if (offsets.size() != count + 1)
    damaged(std::string(name) + " has " + std::to_string(offsets.size()) + " entries, expected " +
            std::to_string(count + 1));
  if (offsets.front() != 0 || offsets.back() != end)
    damaged(std::string(name) + " must begin with 0 and end with " + std::to_string(end));
  for (std::size_t i = 0; i < count; ++i)
    if (offsets[i] > offsets[i + 1]) damaged(std::string(name) + " falls at position " + std::to_string(i + 1));
}

void check_finite(std::span<const float> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) damaged(std::string(name) + "[" + std::to_string(i) + "] is not finite");
}

// Every tail has its slot once; `seen` is scratch.
void check_symbols(const Hypergraph& graph, EdgeId edge, std::vector<char>& seen) {
  const std::size_t arity = graph.tails_of(edge).size();
  seen.assign(arity, 0);
  std::size_t slots = 0;
  for (const std::int32_t symbol : graph.symbols_of(edge)) {
    if (symbol >= 0) continue;
    const auto slot = static_cast<std::size_t>(-1 - static_cast<std::int64_t>(symbol));
    if (slot >= arity || seen[slot])
      damaged("symbol " + std::to_string(symbol) + " of edge " + std::to_string(edge) + " with " +
              std::to_string(arity) + " tails names " + (slot >= arity ? "no tail" : "a tail a second time"));
    seen[slot] = 1;
    ++slots;
  }
  if (slots != arity) damaged("a tail of edge " + std::to_string(edge) + " has no slot among its symbols");
}

}  // namespace

void validate(const Hypergraph& graph) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  const std::size_t edges = graph.edges();
  if (graph.node_edges.empty()) damaged("node_edges is empty; it holds 0 at least");
  if (graph.nodes() >= most || edges >= most || graph.tails.size() >= most || graph.symbols.size() >= most ||
      graph.sparse_ids.size() >= most)
    damaged("it has more than 2^32 - 2 nodes, edges, tails, symbols or features");
  check_offsets(graph.node_edges, graph.nodes(), edges, "node_edges");
  check_offsets(graph.tail_offsets, edges, graph.tails.size(), "tail_offsets");
  check_offsets(graph.symbol_offsets, edges, graph.symbols.size(), "symbol_offsets");
  if (graph.sparse_ids.size() != graph.sparse_values.size())
    damaged("sparse_ids and sparse_values differ in length");
  if (graph.sparse_offsets.size() != 1 || !graph.sparse_ids.empty())
    check_offsets(graph.sparse_offsets, edges, graph.sparse_ids.size(), "sparse_offsets");
  else if (graph.sparse_offsets.front() != 0)
    damaged("sparse_offsets must begin with 0");
  if (graph.dense.size() != edges * graph.dense_ids.size())
    damaged("dense has " + std::to_string(graph.dense.size()) + " values, expected " + std::to_string(edges) +
            " edges × " + std::to_string(graph.dense_ids.size()) + " features");
  check_finite(graph.dense, "dense");
  check_finite(graph.sparse_values, "sparse_values");
  for (std::size_t i = 0; i < graph.applications.size(); ++i)
    if (graph.applications[i].begin > graph.applications[i].end)
      damaged("application " + std::to_string(i) + " ends before it begins");

  std::vector<char> seen;
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    if (graph.node_edges[node] == graph.node_edges[node + 1])
      damaged("node " + std::to_string(node) + " has no edge");
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      for (const NodeId tail : graph.tails_of(edge))
        if (tail >= node)
          damaged("edge " + std::to_string(edge) + " of node " + std::to_string(node) + " has the tail " +
                  std::to_string(tail) + "; tails come before their node");
      if (graph.edge_application[edge] >= graph.applications.size())
        damaged("edge " + std::to_string(edge) + " has application " +
                std::to_string(graph.edge_application[edge]) + ", there are " +
                std::to_string(graph.applications.size()));
      check_symbols(graph, edge, seen);
    }
  }
}

}  // namespace tunesmith
