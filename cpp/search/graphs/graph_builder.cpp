#include "search/graphs/graph_builder.hpp"

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/probe.hpp"

namespace tunesmith {
namespace {

std::uint64_t hash(const Application& application) {
  return mix(application.rule, static_cast<std::uint64_t>(application.begin) << 16 | application.end);
}

}  // namespace

GraphBuilder::GraphBuilder(std::uint32_t vocabulary, std::vector<std::uint32_t> dense_ids, const Sizes& sizes)
    : slots_(256) {
  narrow<NodeId>(sizes.nodes, "nodes of a search graph");
  narrow<EdgeId>(sizes.edges, "edges of a search graph");
  narrow<std::uint32_t>(sizes.tails, "tails of a search graph");
  narrow<std::uint32_t>(sizes.symbols, "symbols of a search graph");
  graph_.vocabulary = vocabulary;
  graph_.dense_ids = std::move(dense_ids);
  graph_.node_edges.reserve(sizes.nodes + 1);
  graph_.tail_offsets.reserve(sizes.edges + 1);
  graph_.symbol_offsets.reserve(sizes.edges + 1);
  graph_.edge_application.reserve(sizes.edges);
  graph_.dense.reserve(sizes.edges * graph_.dense_ids.size());
  graph_.tails.reserve(sizes.tails);
  graph_.symbols.reserve(sizes.symbols);
}

void GraphBuilder::add_edge(const Application& application, std::span<const NodeId> tails,
                            std::span<const std::int32_t> symbols, std::span<const float> dense) {
  graph_.tails.insert(graph_.tails.end(), tails.begin(), tails.end());
  graph_.tail_offsets.push_back(narrow<std::uint32_t>(graph_.tails.size(), "tails of a search graph"));
  graph_.symbols.insert(graph_.symbols.end(), symbols.begin(), symbols.end());
  graph_.symbol_offsets.push_back(narrow<std::uint32_t>(graph_.symbols.size(), "symbols of a search graph"));
  graph_.edge_application.push_back(number(application));
  graph_.dense.insert(graph_.dense.end(), dense.begin(), dense.end());
}

void GraphBuilder::end_sparse() {
  graph_.sparse_offsets.push_back(
      narrow<std::uint32_t>(graph_.sparse_ids.size(), "sparse features of a search graph"));
}

NodeId GraphBuilder::end_node() {
  graph_.node_edges.push_back(narrow<EdgeId>(graph_.edge_application.size(), "edges of a search graph"));
  return graph_.goal();
}

// Numbers for applications, each once.
std::uint32_t GraphBuilder::number(const Application& application) {
  std::vector<Application>& known = graph_.applications;
  if (2 * known.size() >= slots_.size()) grow();
  const std::size_t at = probe(slots_, hash(application), [&](std::uint32_t number) {
    return number == 0 || known[number - 1] == application;
  });
  if (slots_[at] != 0) return slots_[at] - 1;
  known.push_back(application);
  slots_[at] = narrow<std::uint32_t>(known.size());
  return slots_[at] - 1;
}

void GraphBuilder::grow() {
  slots_.assign(slots_.size() * 2, 0);
  std::uint32_t number = 0;
  for (const Application& application : graph_.applications)
    slots_[probe(slots_, hash(application), [](std::uint32_t known) { return known == 0; })] = ++number;
}

}  // namespace tunesmith
