// Small random graphs and all their derivations, one by one.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith::testing {

struct Derivation {
  double score;
  std::vector<EdgeId> edges;
  std::vector<std::int32_t> words;
};

// Every derivation of a node, from the definition. `all[n]` holds those of earlier nodes.
inline std::vector<Derivation> derive(const Hypergraph& graph, const std::vector<double>& scores, NodeId node,
                                      const std::vector<std::vector<Derivation>>& all) {
  std::vector<Derivation> out;
  for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge) {
    const auto tails = graph.tails_of(edge);
    std::vector<std::size_t> choice(tails.size(), 0);
    for (bool more = true; more;) {
      Derivation d{scores[edge], {edge}, {}};
      for (std::size_t i = 0; i < tails.size(); ++i) {
        const Derivation& part = all[tails[i]][choice[i]];
        d.score += part.score;
        d.edges.insert(d.edges.end(), part.edges.begin(), part.edges.end());
      }
      for (const std::int32_t symbol : graph.symbols_of(edge)) {
        if (symbol >= 0) {
          d.words.push_back(symbol);
          continue;
        }
        const auto slot = static_cast<std::size_t>(-1 - symbol);
        const auto& words = all[tails[slot]][choice[slot]].words;
        d.words.insert(d.words.end(), words.begin(), words.end());
      }
      out.push_back(d);
      more = false;
      for (std::size_t i = 0; i < tails.size() && !more; ++i) {
        more = ++choice[i] < all[tails[i]].size();
        if (!more) choice[i] = 0;
      }
    }
  }
  return out;
}

inline std::vector<std::vector<Derivation>> derive_all(const Hypergraph& graph,
                                                       const std::vector<double>& scores) {
  std::vector<std::vector<Derivation>> all;
  for (NodeId node = 0; node < graph.nodes(); ++node) all.push_back(derive(graph, scores, node, all));
  return all;
}

// Every derivation of the goal.
inline std::vector<Derivation> derive_goal(const Hypergraph& graph, const std::vector<double>& scores) {
  return derive_all(graph, scores).back();
}

// A graph whose goal has at most a few thousand derivations: arities 0 to 3, shared tails, unreachable nodes.
inline Hypergraph random_graph(std::mt19937& random, std::size_t max_nodes = 6, std::size_t max_arity = 3) {
  const auto below = [&](std::size_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (;;) {
    Hypergraph graph;
    graph.applications = {{0, 0, 1}, {1, 1, 3}, {2, 0, 3}, {1, 0, 2}};
    graph.vocabulary = 4;
    graph.dense_ids = {3, 1};
    std::vector<double> counts;
    const std::size_t nodes = 1 + below(max_nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      double count = 0;
      for (std::uint32_t edges = 1 + below(3); edges-- > 0;) {
        const std::size_t arity = node == 0 ? 0 : below(max_arity + 1);
        double product = 1;
        std::vector<std::int32_t> symbols;
        for (std::size_t i = 0; i < arity; ++i) {
          graph.tails.push_back(below(node));
          product *= counts[graph.tails.back()];
          symbols.push_back(-1 - static_cast<std::int32_t>(i));
        }
        count += product;
        for (std::uint32_t words = below(3); words-- > 0;) symbols.push_back(static_cast<std::int32_t>(below(5)));
        for (std::size_t i = symbols.size(); i > 1; --i) std::swap(symbols[i - 1], symbols[below(i)]);
        graph.symbols.insert(graph.symbols.end(), symbols.begin(), symbols.end());
        graph.tail_offsets.push_back(static_cast<std::uint32_t>(graph.tails.size()));
        graph.symbol_offsets.push_back(static_cast<std::uint32_t>(graph.symbols.size()));
        graph.edge_application.push_back(below(graph.applications.size()));
        for (int i = 0; i < 2; ++i) graph.dense.push_back(static_cast<float>(below(9)) / 4 - 1);
        for (std::uint32_t pairs = below(3); pairs-- > 0;) {
          graph.sparse_ids.push_back(4 + below(3));
          graph.sparse_values.push_back(static_cast<float>(below(5)) / 2 - 1);
        }
        graph.sparse_offsets.push_back(static_cast<std::uint32_t>(graph.sparse_ids.size()));
      }
      counts.push_back(count);
      graph.node_edges.push_back(static_cast<EdgeId>(graph.edge_application.size()));
    }
    if (counts.back() <= 2000 && *std::max_element(counts.begin(), counts.end()) <= 20000) return graph;
  }
}

// Multiples of 1/4, so that equal scores happen and sums are exact.
inline std::vector<double> random_scores(std::mt19937& random, const Hypergraph& graph) {
  std::vector<double> scores;
  for (EdgeId edge = 0; edge < graph.edges(); ++edge) scores.push_back(static_cast<double>(random() % 17) / 4 - 2);
  return scores;
}

}  // namespace tunesmith::testing
