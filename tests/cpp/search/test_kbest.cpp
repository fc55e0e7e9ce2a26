#include <algorithm>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "check.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/kbest.hpp"
#include "search/graphs/viterbi.hpp"
#include "search/random_graph.hpp"

using namespace tunesmith;
using namespace tunesmith::testing;

namespace {

constexpr std::size_t all = 1000000;

bool same(std::span<const EdgeId> a, const std::vector<EdgeId>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST(k_best_lists_hold_every_derivation_in_order) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const Hypergraph graph = random_graph(random);
    validate(graph);
    const std::vector<double> scores = random_scores(random, graph);
    std::vector<Derivation> expected = derive_goal(graph, scores);
    std::sort(expected.begin(), expected.end(), [](const Derivation& a, const Derivation& b) {
      return a.score != b.score ? a.score > b.score : a.edges < b.edges;
    });
    const Derivations found = k_best(graph, scores, {.k = all});
    CHECK(found.size() == expected.size());
    CHECK(!found.cut);
    std::vector<std::vector<EdgeId>> edges;
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found.scores[i] == expected[i].score);
      check_derivation(graph, found.edges_of(i));
      std::vector<std::int32_t> words;
      append_words(graph, found.edges_of(i), words);
      CHECK(std::equal(words.begin(), words.end(), found.words_of(i).begin(), found.words_of(i).end()));
      edges.emplace_back(found.edges_of(i).begin(), found.edges_of(i).end());
      const auto same_edges = [&](const Derivation& d) { return d.edges == edges.back(); };
      const auto twin = std::find_if(expected.begin(), expected.end(), same_edges);
      CHECK(twin != expected.end() && twin->score == found.scores[i] && twin->words == words);
    }
    std::sort(edges.begin(), edges.end());
    CHECK(std::adjacent_find(edges.begin(), edges.end()) == edges.end());
    const Viterbi best = viterbi(graph, scores);
    CHECK(best.score.back() == expected[0].score);
    CHECK(best.edge.back() == found.edges[0]);

    // A shorter list is the beginning of a longer one.
    const std::size_t k = 1 + random() % expected.size();
    const Derivations fewer = k_best(graph, scores, {.k = k});
    CHECK(fewer.size() == k);
    CHECK(same(fewer.edges,
               {found.edges.begin(), found.edges.begin() + static_cast<std::ptrdiff_t>(fewer.edges.size())}));
  }
}

TEST(distinct_lists_hold_every_string_by_its_best_derivation) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    std::map<std::vector<std::int32_t>, double> expected;
    for (const Derivation& d : derive_goal(graph, scores)) {
      const auto [at, fresh] = expected.emplace(d.words, d.score);
      if (!fresh) at->second = std::max(at->second, d.score);
    }
    const Derivations found = k_best(graph, scores, {.k = all, .distinct = true});
    CHECK(found.size() == expected.size());
    CHECK(!found.cut);
    CHECK(std::is_sorted(found.scores.rbegin(), found.scores.rend()));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto at = expected.find({found.words_of(i).begin(), found.words_of(i).end()});
      CHECK(at != expected.end() && at->second == found.scores[i]);
      expected.erase(at);
    }
    const Derivations bounded = k_best(graph, scores, {.k = all, .distinct = true, .max_skipped = 0});
    CHECK(bounded.cut ? bounded.size() <= found.size() : bounded.size() == found.size());
  }
}

TEST(feature_sums_and_positions_follow_from_the_edges) {
  std::mt19937 random(3);
  const std::vector<double> weights{0.5, -1, 2, 0.25, 1, -2};  // id 6 is beyond: weighs nothing
  for (int round = 0; round < 100; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> local{0.5, 1, -0.25, 2};
    const std::vector<double> scores = edge_scores(graph, local, weights);
    const Derivations found = k_best(graph, scores, {.k = 20});
    const auto applications = application_counts(graph, found);
    const auto rules = rule_counts(graph, found);
    const auto dense = dense_sums(graph, found);
    const auto sparse = sparse_sums(graph, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      double score = 0;
      std::uint32_t used = 0, used_rules = 0;
      for (auto at = applications.offsets[i]; at < applications.offsets[i + 1]; ++at) {
        score += local[applications.ids[at]] * applications.values[at];
        used += applications.values[at];
      }
      for (auto at = rules.offsets[i]; at < rules.offsets[i + 1]; ++at) used_rules += rules.values[at];
      for (std::size_t j = 0; j < 2; ++j) score += weights[graph.dense_ids[j]] * dense[2 * i + j];
      for (auto at = sparse.offsets[i]; at < sparse.offsets[i + 1]; ++at) {
        score += sparse.ids[at] < weights.size() ? weights[sparse.ids[at]] * sparse.values[at] : 0;
        CHECK(at == sparse.offsets[i] || sparse.ids[at - 1] < sparse.ids[at]);
      }
      CHECK(check::near(score, found.scores[i], 1e-9));
      CHECK(used == found.edges_of(i).size() && used_rules == used);

      const std::vector<std::uint32_t> positions = symbol_positions(graph, found.edges_of(i));
      std::size_t at = 0, words = 0;
      for (const EdgeId edge : found.edges_of(i))
        for (const std::int32_t symbol : graph.symbols_of(edge)) {
          if (symbol >= 0) {
            CHECK(found.words_of(i)[positions[at]] == symbol);
            ++words;
          }
          ++at;
        }
      CHECK(words == found.words_of(i).size());
    }
  }
}

TEST(a_graph_whose_sentences_fit_no_memory_is_an_error) {
  Hypergraph graph;
  graph.applications = {{0, 0, 1}};
  for (std::uint32_t node = 0; node < 60; ++node) {  // 2^59 words
    if (node > 0) {
      graph.tails.insert(graph.tails.end(), {node - 1, node - 1});
      graph.symbols.insert(graph.symbols.end(), {-1, -2});
    } else {
      graph.symbols.push_back(7);
    }
    graph.tail_offsets.push_back(static_cast<std::uint32_t>(graph.tails.size()));
    graph.symbol_offsets.push_back(static_cast<std::uint32_t>(graph.symbols.size()));
    graph.edge_application.push_back(0);
    graph.node_edges.push_back(node + 1);
  }
  validate(graph);
  const std::vector<double> scores(graph.edges(), 0.0);
  CHECK_THROWS(k_best(graph, scores, {.k = 1}), Error);
  CHECK_THROWS(k_best(graph, scores, {.k = 2, .distinct = true}), Error);
}

TEST(a_long_chain_needs_no_deep_stack) {
  Hypergraph graph;
  graph.applications = {{0, 0, 1}};
  for (std::uint32_t node = 0; node < 100000; ++node) {
    for (const std::int32_t word : {1, 2}) {
      if (node > 0) graph.tails.push_back(node - 1), graph.symbols.push_back(-1);
      graph.symbols.push_back(word);
      graph.tail_offsets.push_back(static_cast<std::uint32_t>(graph.tails.size()));
      graph.symbol_offsets.push_back(static_cast<std::uint32_t>(graph.symbols.size()));
      graph.edge_application.push_back(0);
    }
    graph.node_edges.push_back(2 * node + 2);
  }
  validate(graph);
  std::vector<double> scores(graph.edges(), 0.0);
  for (std::size_t edge = 1; edge < scores.size(); edge += 2) scores[edge] = -1;
  const Derivations found = k_best(graph, scores, {.k = 3});
  CHECK((found.scores == std::vector<double>{0, -1, -1}));
}

TEST(damaged_graphs_are_refused) {
  std::mt19937 random(4);
  const auto refused = [&](auto damage) {
    Hypergraph graph;
    do graph = random_graph(random);
    while (graph.tails.empty() || graph.sparse_ids.empty() || graph.symbols.size() < 2);
    validate(graph);
    damage(graph);
    CHECK_THROWS(validate(graph), Error);
  };
  for (int round = 0; round < 20; ++round) {
    refused([](Hypergraph& g) { g.node_edges.clear(); });
    refused([](Hypergraph& g) { g.node_edges.back() += 1; });
    refused([](Hypergraph& g) { g.node_edges.front() = 1; });
    refused([](Hypergraph& g) { g.node_edges.push_back(g.node_edges.back()); });  // a node without edges
    refused([](Hypergraph& g) { g.tails.back() = g.goal(); });
    refused([](Hypergraph& g) { g.tails.push_back(0); });
    refused([](Hypergraph& g) { g.tail_offsets.pop_back(); });
    refused([](Hypergraph& g) { g.tail_offsets.front() = 1; });
    refused([](Hypergraph& g) { g.symbol_offsets.back() += 1; });
    refused([](Hypergraph& g) {
      *std::find_if(g.symbols.begin(), g.symbols.end(), [](auto s) { return s < 0; }) = 1;
    });
    refused([](Hypergraph& g) { g.symbols.back() = std::numeric_limits<std::int32_t>::min(); });
    refused([](Hypergraph& g) { g.symbols.back() = -100; });
    refused([](Hypergraph& g) { g.edge_application.front() = 4; });
    refused([](Hypergraph& g) { g.dense.pop_back(); });
    refused([](Hypergraph& g) { g.dense.back() = std::numeric_limits<float>::infinity(); });
    refused([](Hypergraph& g) { g.sparse_values.back() = std::numeric_limits<float>::quiet_NaN(); });
    refused([](Hypergraph& g) { g.sparse_ids.pop_back(); });
    refused([](Hypergraph& g) { g.sparse_offsets = {0}; });
    refused([](Hypergraph& g) { g.sparse_offsets.clear(); });
    refused([](Hypergraph& g) { g.applications[0] = {0, 2, 1}; });
  }
}
