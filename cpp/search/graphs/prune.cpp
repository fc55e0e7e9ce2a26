#include "search/graphs/prune.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "search/graphs/inside_outside.hpp"
#include "search/graphs/viterbi.hpp"

namespace tunesmith {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;

// Nodes that can be derived from kept edges and are needed by a derivation of the goal; edges among them.
struct Used {
  std::vector<char> nodes, edges;
};

Used used_parts(const Hypergraph& graph, std::span<const char> kept) {
  std::vector<char> derived(graph.nodes(), 0);
  Used used{std::vector<char>(graph.nodes(), 0), std::vector<char>(graph.edges(), 0)};
  for (NodeId node = 0; node < graph.nodes(); ++node)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      const std::span<const NodeId> tails = graph.tails_of(edge);
      used.edges[edge] =
          kept[edge] && std::all_of(tails.begin(), tails.end(), [&](NodeId t) { return derived[t]; });
      derived[node] |= used.edges[edge];
    }
  if (graph.nodes() > 0) used.nodes.back() = derived.back();
  for (NodeId node = static_cast<NodeId>(graph.nodes()); node-- > 0;)
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      used.edges[edge] &= used.nodes[node];
      if (used.edges[edge])
        for (const NodeId tail : graph.tails_of(edge)) used.nodes[tail] = 1;
    }
  return used;
}

void copy_edge(const Hypergraph& from, EdgeId edge, Hypergraph& to) {
  const auto append = [](auto& out, const auto& values) { out.insert(out.end(), values.begin(), values.end()); };
  append(to.symbols, from.symbols_of(edge));
  to.symbol_offsets.push_back(narrow<std::uint32_t>(to.symbols.size()));
  to.tail_offsets.push_back(narrow<std::uint32_t>(to.tails.size()));
  append(to.dense, from.dense_of(edge));
  if (!from.has_sparse()) return;
  append(to.sparse_ids, from.sparse_ids_of(edge));
  append(to.sparse_values, from.sparse_values_of(edge));
  to.sparse_offsets.push_back(narrow<std::uint32_t>(to.sparse_ids.size()));
}

// Rounding must not take the best derivation away, so its edges are marked on their own.
void mark_best(const Hypergraph& graph, std::span<const double> scores, std::vector<char>& kept) {
  if (graph.nodes() == 0) return;
  const Viterbi best = viterbi(graph, scores);
  std::vector<char> used(graph.nodes(), 0);
  used.back() = 1;
  for (NodeId node = graph.goal() + 1; node-- > 0;)
    if (used[node]) {
      kept[best.edge[node]] = 1;
      for (const NodeId tail : graph.tails_of(best.edge[node])) used[tail] = 1;
    }
}

}  // namespace

Subgraph keep_edges(const Hypergraph& graph, std::span<const char> kept) {
  if (kept.size() != graph.edges())
    throw Error(std::to_string(kept.size()) + " marks for " + std::to_string(graph.edges()) + " edges");
  const Used used = used_parts(graph, kept);
  Subgraph out;
  out.graph.dense_ids = graph.dense_ids;
  out.graph.vocabulary = graph.vocabulary;

  std::vector<std::uint32_t> application_number(graph.applications.size(), none);
  for (EdgeId edge = 0; edge < graph.edges(); ++edge)
    if (used.edges[edge]) application_number[graph.edge_application[edge]] = 0;
  for (std::uint32_t i = 0; i < graph.applications.size(); ++i)
    if (application_number[i] != none) {
      application_number[i] = narrow<std::uint32_t>(out.applications.size());
      out.applications.push_back(i);
      out.graph.applications.push_back(graph.applications[i]);
    }

  std::vector<NodeId> node_number(graph.nodes(), none);
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    if (!used.nodes[node]) continue;
    node_number[node] = narrow<NodeId>(out.nodes.size());
    out.nodes.push_back(node);
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
      if (!used.edges[edge]) continue;
      out.edges.push_back(edge);
      for (const NodeId tail : graph.tails_of(edge)) out.graph.tails.push_back(node_number[tail]);
      out.graph.edge_application.push_back(application_number[graph.edge_application[edge]]);
      copy_edge(graph, edge, out.graph);
    }
    out.graph.node_edges.push_back(narrow<EdgeId>(out.edges.size()));
  }
  return out;
}

Subgraph prune_to_beam(const Hypergraph& graph, std::span<const double> scores, double beam) {
  if (!(beam >= 0)) throw Error("a beam of " + std::to_string(beam) + " is not a difference of scores; 0 or more");
  std::vector<char> kept(graph.edges(), 0);
  mark_best(graph, scores, kept);
  const std::vector<double> marginals = max_marginals(graph, scores);
  const double best = marginals.empty() ? 0 : *std::max_element(marginals.begin(), marginals.end());
  for (EdgeId edge = 0; edge < graph.edges(); ++edge)
    kept[edge] |= std::isfinite(marginals[edge]) && marginals[edge] >= best - beam;
  return keep_edges(graph, kept);
}

Subgraph prune_to_size(const Hypergraph& graph, std::span<const double> scores, std::size_t edges, PruneBy by) {
  const std::vector<double> worth =
      by == PruneBy::posterior ? posteriors(graph, scores) : max_marginals(graph, scores);
  std::vector<char> kept(graph.edges(), 0);
  mark_best(graph, scores, kept);
  const auto needed = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 1));
  std::vector<EdgeId> order;
  for (EdgeId edge = 0; edge < graph.edges(); ++edge)
    if (!kept[edge]) order.push_back(edge);
  const std::size_t more = std::min(order.size(), edges > needed ? edges - needed : 0);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(more), order.end(),
                   [&](EdgeId a, EdgeId b) { return worth[a] != worth[b] ? worth[a] > worth[b] : a < b; });
  for (std::size_t i = 0; i < more; ++i) kept[order[i]] = 1;
  return keep_edges(graph, kept);
}

}  // namespace tunesmith
