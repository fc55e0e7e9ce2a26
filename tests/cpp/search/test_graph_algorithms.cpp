#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "check.hpp"
#include "metrics/ngram_statistics.hpp"
#include "search/graphs/graph_file.hpp"
#include "search/graphs/inside_outside.hpp"
#include "search/graphs/kbest.hpp"
#include "search/graphs/lattice.hpp"
#include "search/graphs/oracle.hpp"
#include "search/graphs/prune.hpp"
#include "search/random_graph.hpp"

using namespace tunesmith;
using namespace tunesmith::testing;

TEST(sums_over_derivations_agree_with_enumeration) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    const auto all = derive_all(graph, scores);
    const auto counts = derivation_counts(graph), log_counts = log_derivation_counts(graph);
    const auto sums = log_inside(graph, scores);
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      double sum = 0;
      for (const Derivation& d : all[node]) sum += std::exp(d.score);
      CHECK(counts[node] == static_cast<double>(all[node].size()));
      CHECK(check::near(log_counts[node], std::log(counts[node]), 1e-9));
      CHECK(check::near(sums[node], std::log(sum), 1e-9));
    }
    std::vector<double> uses(graph.edges(), 0), best(graph.edges(), -INFINITY);
    std::vector<double> dense(2, 0), applications(graph.applications.size(), 0);
    std::map<std::uint32_t, double> sparse;
    for (const Derivation& d : all.back())
      for (const EdgeId edge : d.edges) {
        const double p = std::exp(d.score - sums.back());
        uses[edge] += p;
        best[edge] = std::max(best[edge], d.score);
        applications[graph.edge_application[edge]] += p;
        for (std::size_t i = 0; i < 2; ++i) dense[i] += p * static_cast<double>(graph.dense_of(edge)[i]);
        for (std::size_t i = 0; i < graph.sparse_ids_of(edge).size(); ++i)
          sparse[graph.sparse_ids_of(edge)[i]] += p * static_cast<double>(graph.sparse_values_of(edge)[i]);
      }
    const auto posterior = posteriors(graph, scores), marginals = max_marginals(graph, scores);
    for (EdgeId edge = 0; edge < graph.edges(); ++edge) {
      CHECK(check::near(posterior[edge], uses[edge], 1e-9));
      CHECK(marginals[edge] == best[edge]);
    }
    const Expectations expected = expectations(graph, posterior);
    for (std::size_t i = 0; i < 2; ++i) CHECK(check::near(expected.dense[i], dense[i], 1e-9));
    for (std::size_t i = 0; i < applications.size(); ++i)
      CHECK(check::near(expected.applications[i], applications[i], 1e-9));
    for (std::size_t i = 0; i < expected.sparse_ids.size(); ++i)
      CHECK(check::near(expected.sparse_values[i], sparse[expected.sparse_ids[i]], 1e-9));
  }
}

TEST(pruned_graphs_are_graphs_with_the_derivations_that_should_stay) {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    const auto before = derive_goal(graph, scores);
    double best = -INFINITY;
    for (const Derivation& d : before) best = std::max(best, d.score);
    const auto check_part = [&](const Subgraph& part, auto must_stay) {
      validate(part.graph);
      std::vector<double> kept_scores;
      for (const EdgeId edge : part.edges) kept_scores.push_back(scores[edge]);
      for (std::size_t i = 0; i < part.edges.size(); ++i)
        CHECK(part.graph.applications[part.graph.edge_application[i]] ==
              graph.applications[graph.edge_application[part.edges[i]]]);
      std::set<std::vector<EdgeId>> after;
      double kept_best = -INFINITY;
      for (const Derivation& d : derive_goal(part.graph, kept_scores)) {
        std::vector<EdgeId> edges;
        for (const EdgeId edge : d.edges) edges.push_back(part.edges[edge]);
        after.insert(edges);
        kept_best = std::max(kept_best, d.score);
      }
      CHECK(kept_best == best);
      for (const Derivation& d : before)
        if (must_stay(d)) CHECK(after.contains(d.edges));
      // Nothing is left that no derivation uses.
      const auto uses = max_marginals(part.graph, kept_scores);
      CHECK(std::all_of(uses.begin(), uses.end(), [](double x) { return std::isfinite(x); }));
    };
    for (const double beam : {0.0, 0.75, 100.0})
      check_part(prune_to_beam(graph, scores, beam), [&](const Derivation& d) { return d.score >= best - beam; });
    for (const PruneBy by : {PruneBy::posterior, PruneBy::max_marginal})
      for (const std::size_t size : {std::size_t{0}, std::size_t{3}, graph.edges()}) {
        const Subgraph part = prune_to_size(graph, scores, size, by);
        check_part(part, [&](const Derivation&) { return size == graph.edges(); });
        CHECK(part.edges.size() <= std::max(size, prune_to_size(graph, scores, 0, by).edges.size()));
      }
    const Subgraph nothing = keep_edges(graph, std::vector<char>(graph.edges(), 0));
    CHECK(nothing.graph.nodes() == 0);
    validate(nothing.graph);
  }
}

TEST(oracles_agree_with_enumeration_where_the_beam_is_wide) {
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    std::vector<std::vector<std::int32_t>> references(1 + random() % 3);
    std::vector<std::string> texts;
    const auto text_of = [](std::span<const std::int32_t> words) {
      std::string text;
      for (const std::int32_t word : words) text += std::to_string(word) + " ";
      return text;
    };
    for (auto& reference : references) {
      for (std::size_t length = 1 + random() % 8; length-- > 0;)
        reference.push_back(static_cast<std::int32_t>(random() % 4));  // word 4 is in none
      texts.push_back(text_of(reference));
    }
    std::vector<std::string_view> views(texts.begin(), texts.end());
    ReferenceNgrams ngrams(4);
    ngrams.add(views);
    std::vector<std::int32_t> numbers = graph.symbols;
    for (std::int32_t& number : numbers) number = number == 4 ? -1 : number;

    OracleOptions options;
    options.beam = 100000;
    if (round % 3 == 1) {
      options.model = 1;
      options.metric = round % 2 == 0 ? 3 : -3;
    }
    if (round % 3 == 2) {
      options.background = {20, 22, 12, 8, 5, 3, 20, 19, 18, 17};
      options.scale_by_reference = round % 2 == 0;
    }
    double best = -INFINITY;
    for (const Derivation& d : derive_goal(graph, scores)) {
      std::vector<double> row(statistics_width(4));
      const std::string text = text_of(d.words);
      ngram_statistics(ngrams, std::vector<std::string_view>{text}, std::vector<std::int64_t>{0}, {}, row);
      double metric = bleu_plus_one(row.data(), 4, {});
      if (!options.background.empty()) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] += options.background[i];
        metric = bleu(row.data(), 4, {Smoothing::none, 0, false}) * (options.scale_by_reference ? row[1] : 1);
      }
      best = std::max(best, options.model * d.score + options.metric * metric);
    }
    const Oracles found = oracle(graph, scores, references, numbers, options);
    CHECK(!found.derivations.cut);
    CHECK(found.objective.size() == 1 && check::near(found.objective[0], best, 1e-9));
    check_derivation(graph, found.derivations.edges_of(0));

    options.beam = 1;
    const Oracles narrow = oracle(graph, scores, references, numbers, options);
    CHECK(narrow.objective[0] <= best + 1e-9);
  }
}

TEST(graphs_come_back_from_their_bytes_and_damage_is_noticed) {
  std::mt19937 random(14);
  for (int round = 0; round < 50; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::string bytes = pack(graph);
    CHECK(bytes.size() % 8 == 0);
    const Hypergraph back = unpack(bytes);
    CHECK(pack(back) == bytes);
    CHECK(back.tails == graph.tails && back.symbols == graph.symbols && back.dense == graph.dense);
    for (int i = 0; i < 20; ++i) {
      std::string damaged = bytes;
      damaged[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      CHECK_THROWS(unpack(damaged), Error);
    }
    CHECK_THROWS(unpack(std::span(bytes).first(random() % bytes.size())), Error);
    CHECK_THROWS(unpack(bytes + std::string(8, '\0')), Error);
  }
  CHECK(unpack(pack(Hypergraph{})).nodes() == 0);
}

TEST(paths_of_a_lattice_are_the_derivations) {
  std::mt19937 random(15);
  int lattices = 0;
  const auto paths_of = [](const Lattice& lattice) {
    std::vector<std::multiset<std::pair<std::vector<std::int32_t>, double>>> paths(lattice.states);
    paths[0].insert({{}, 0.0});
    for (std::size_t i = 0; i < lattice.from.size(); ++i) {
      CHECK(lattice.from[i] < lattice.to[i] && lattice.to[i] < lattice.states);
      CHECK(i == 0 || lattice.from[i - 1] <= lattice.from[i]);
      for (auto [words, score] : paths[lattice.from[i]]) {
        if (lattice.words[i] != Lattice::no_word) words.push_back(lattice.words[i]);
        paths[lattice.to[i]].insert({words, score + lattice.scores[i]});
      }
    }
    return paths.back();
  };
  for (int round = 0; round < 2000; ++round) {
    Hypergraph graph = random_graph(random, 5, 1);
    for (EdgeId edge = 0; edge < graph.edges() && round % 2 == 0; ++edge)
      for (std::uint32_t at = graph.symbol_offsets[edge]; at < graph.symbol_offsets[edge + 1]; ++at)
        if (graph.symbols[at] < 0) std::swap(graph.symbols[at], graph.symbols[graph.symbol_offsets[edge]]);
    const std::vector<double> scores = random_scores(random, graph);
    std::multiset<std::pair<std::vector<std::int32_t>, double>> expected;
    for (const Derivation& d : derive_goal(graph, scores)) expected.insert({d.words, d.score});
    if (is_lattice(graph)) {
      ++lattices;
      CHECK(paths_of(to_lattice(graph, scores)) == expected);
    } else {
      CHECK(round % 2 == 1);
      CHECK_THROWS(to_lattice(graph, scores), Error);
    }
    const Derivations list = k_best(graph, scores, {.k = 7, .distinct = true});
    std::multiset<std::pair<std::vector<std::int32_t>, double>> strings;
    for (std::size_t i = 0; i < list.size(); ++i)
      strings.insert({{list.words_of(i).begin(), list.words_of(i).end()}, list.scores[i]});
    CHECK(paths_of(to_lattice(list)) == strings);
  }
  CHECK(lattices >= 1000);
}
