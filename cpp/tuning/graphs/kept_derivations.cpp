#include "tuning/graphs/kept_derivations.hpp"

#include <cmath>
#include <map>
#include <string>
#include <unordered_set>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/viterbi.hpp"

namespace tunesmith {
namespace {

// A derivation as one edge.
struct Flat {
  std::vector<std::int32_t> words;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;

  std::string key() const {
    const std::size_t size = words.size();  // says where the ids begin
    std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes.append(reinterpret_cast<const char*>(words.data()), size * sizeof(words[0]));
    bytes.append(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(ids[0]));
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    return bytes;
  }
};

Flat flat(const Hypergraph& graph, std::span<const EdgeId> edges, const GraphFeatures& features) {
  Flat out;
  append_words(graph, edges, out.words);
  std::map<std::uint32_t, double> sums;
  for (const EdgeId edge : edges)
    features.visit(graph, edge, [&](std::uint32_t id, float value) { sums[id] += static_cast<double>(value); });
  for (const auto& [id, value] : sums)
    if (value != 0) {
      out.ids.push_back(id);
      out.values.push_back(static_cast<float>(value));
    }
  return out;
}

void append(Hypergraph& graph, const Flat& edge, std::uint32_t application) {
  graph.tail_offsets.push_back(graph.tail_offsets.back());
  graph.symbols.insert(graph.symbols.end(), edge.words.begin(), edge.words.end());
  graph.symbol_offsets.push_back(narrow<std::uint32_t>(graph.symbols.size()));
  graph.edge_application.push_back(application);
  graph.dense.resize(graph.dense.size() + graph.dense_ids.size(), 0.0F);
  graph.sparse_ids.insert(graph.sparse_ids.end(), edge.ids.begin(), edge.ids.end());
  graph.sparse_values.insert(graph.sparse_values.end(), edge.values.begin(), edge.values.end());
  graph.sparse_offsets.push_back(narrow<std::uint32_t>(graph.sparse_ids.size()));
}

}  // namespace

void VisitedDerivations::add(std::size_t sentence, std::span<const EdgeId> edges) {
  std::string key(reinterpret_cast<const char*>(edges.data()), edges.size_bytes());
  if (!seen_[sentence].insert(std::move(key)).second) return;
  DerivationEdges& list = lists_[sentence];
  list.edges.insert(list.edges.end(), edges.begin(), edges.end());
  list.offsets.push_back(list.edges.size());
}

GraphWithKept with_kept(const Hypergraph& newer, const Hypergraph& older, std::size_t older_kept,
                        const DerivationEdges& derivations, const GraphFeatures& features) {
  GraphWithKept out{newer, 0};
  std::vector<Flat> all;
  if (older_kept > older.edges()) throw Error("a graph keeps more derivations than it has edges");
  for (std::size_t edge = older.edges() - older_kept; edge < older.edges(); ++edge) {
    const EdgeId only[] = {static_cast<EdgeId>(edge)};
    check_derivation(older, only);
    all.push_back(flat(older, only, features));
  }
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    check_derivation(older, derivations[i]);
    all.push_back(flat(older, derivations[i], features));
  }
  if (all.empty()) return out;

  Hypergraph& graph = out.graph;
  if (graph.nodes() == 0) graph.node_edges.push_back(0);
  if (!graph.has_sparse()) graph.sparse_offsets.assign(graph.edges() + 1, 0);
  const auto application = narrow<std::uint32_t>(graph.applications.size());
  graph.applications.push_back({no_rule, 0, 0});
  std::unordered_set<std::string> seen;
  for (const Flat& edge : all)
    if (seen.insert(edge.key()).second) {
      append(graph, edge, application);
      ++out.kept;
    }
  graph.node_edges.back() = narrow<EdgeId>(graph.edges());
  return out;
}

GraphWithKept without_unreached(const Hypergraph& graph, std::size_t kept, std::span<const double> scores) {
  constexpr double rounding = 1e-6;  // a kept derivation has its features in single precision
  if (kept > graph.edges()) throw Error("a graph keeps more derivations than it has edges");
  const std::size_t own = graph.edges() - kept;
  GraphWithKept out{graph, kept};
  if (kept == 0 || own == graph.node_edges[graph.goal()]) return out;
  Hypergraph& found = out.graph;
  found.node_edges.back() = narrow<EdgeId>(own);
  found.tail_offsets.resize(own + 1);
  found.symbol_offsets.resize(own + 1);
  found.symbols.resize(found.symbol_offsets.back());
  found.edge_application.resize(own);
  found.dense.resize(own * graph.dense_ids.size());
  if (!graph.has_sparse()) throw Error("a graph that keeps derivations has their features");
  found.sparse_offsets.resize(own + 1);
  found.sparse_ids.resize(found.sparse_offsets.back());
  found.sparse_values.resize(found.sparse_offsets.back());
  out.kept = 0;
  const double best = viterbi(found, scores.first(own)).score[graph.goal()];
  for (auto edge = narrow<EdgeId>(own); edge < graph.edges(); ++edge) {
    const EdgeId only[] = {edge};
    check_derivation(graph, only);
    if (scores[edge] > best + rounding * (1 + std::abs(best))) continue;
    const auto copied = [](auto values) { return std::vector(values.begin(), values.end()); };
    append(
        found,
        {copied(graph.symbols_of(edge)), copied(graph.sparse_ids_of(edge)), copied(graph.sparse_values_of(edge))},
        graph.edge_application[edge]);
    found.node_edges.back() = narrow<EdgeId>(found.edges());
    ++out.kept;
  }
  return out;
}

}  // namespace tunesmith
