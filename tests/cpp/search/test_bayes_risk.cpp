#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "check.hpp"
#include "search/graphs/bayes_risk.hpp"
#include "search/random_graph.hpp"
#include "tuning/graphs/graph_expectation.hpp"

using namespace tunesmith;
using namespace tunesmith::testing;

namespace {

using Ngram = std::vector<std::int32_t>;

std::map<Ngram, int> ngrams_of(const std::vector<std::int32_t>& words, std::size_t order) {
  std::map<Ngram, int> out;
  for (std::size_t begin = 0; begin < words.size(); ++begin)
    for (std::size_t n = 1; n <= order && begin + n <= words.size(); ++n)
      ++out[{words.begin() + static_cast<std::ptrdiff_t>(begin),
             words.begin() + static_cast<std::ptrdiff_t>(begin + n)}];
  return out;
}

double log_sum(const std::vector<Derivation>& all) {
  double sum = 0;
  for (const Derivation& d : all) sum += std::exp(d.score);
  return std::log(sum);
}

}  // namespace

TEST(posteriors_of_ngrams_and_the_best_derivation_agree_with_enumeration) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    const std::vector<Derivation> all = derive_goal(graph, scores);
    const double total = log_sum(all);
    for (const NgramEvidence evidence : {NgramEvidence::expected, NgramEvidence::once}) {
      const auto split = ngram_graph(graph, 3, ~std::size_t{0});
      const std::vector<double> found = ngram_posteriors(*split, scores, evidence);
      std::map<Ngram, double> expected;
      for (const Derivation& d : all)
        for (const auto& [ngram, times] : ngrams_of(d.words, 3))
          expected[ngram] += std::exp(d.score - total) * (evidence == NgramEvidence::once ? 1 : times);
      for (std::uint32_t i = 0; i < found.size(); ++i) {
        Ngram ngram;
        split->numbers.append_words(i, ngram);
        CHECK(ngram.size() == split->numbers.length(i));
        CHECK(check::near(found[i], expected[ngram], 1e-9));
      }
      const LinearThetas thetas{-1, {0.4, 0.7, 1.1}};
      const BayesRiskBest best = best_by_gain(*split, found, thetas);
      double highest = -INFINITY;
      for (const Derivation& d : all) {
        double gain = -static_cast<double>(d.words.size());
        for (const auto& [ngram, times] : ngrams_of(d.words, 3))
          gain += times * thetas.per_ngram[ngram.size() - 1] * expected[ngram];
        highest = std::max(highest, gain);
        if (d.edges == best.edges) CHECK(check::near(gain, best.gain, 1e-9));
      }
      CHECK(check::near(best.gain, highest, 1e-9));
    }
  }
}

TEST(graphs_that_are_too_large_when_split_are_pruned) {
  std::mt19937 random(6);
  for (int round = 0; round < 50; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    CHECK(!ngram_graph(graph, 4, 0));
    const BayesRiskBest best = bayes_risk(graph, scores, {1, NgramEvidence::once, {-1, {1, 1}}, 0, 1});
    bool known = false;
    for (const Derivation& d : derive_goal(graph, scores)) known |= d.edges == best.edges;
    CHECK(known);
  }
  CHECK(bayes_risk({}, {}, {1, NgramEvidence::once, {-1, {1, 1}}, 50, 1}).edges.empty());
}

TEST(expected_counts_of_graphs_agree_with_enumeration) {
  std::mt19937 random(7);
  const std::vector<std::vector<std::int32_t>> references{{0, 1, 2, 0, 1}, {2, 1}};
  std::set<Ngram> known;
  for (const auto& reference : references)
    for (const auto& [ngram, times] : ngrams_of(reference, 4)) known.insert(ngram);
  for (int round = 0; round < 100; ++round) {
    const Hypergraph graph = random_graph(random);
    const std::vector<double> scores = random_scores(random, graph);
    const std::vector<Derivation> all = derive_goal(graph, scores);
    const double total = log_sum(all);
    SentenceExpectation sentence(graph, references, 4, ~std::size_t{0});
    SentenceExpectation::Space space;
    std::vector<double> row(6), expected(6);
    space.scores = scores;
    sentence.distribute(1, space);
    sentence.counts(row, space);
    const std::vector<double> worth{-0.5, 1, 2, 3, 4};
    std::vector<double> slopes(graph.edges());
    double mean = 0;
    for (const Derivation& d : all) {
      const double p = std::exp(d.score - total);
      expected[0] += p * static_cast<double>(d.words.size());
      double gain = worth[0] * static_cast<double>(d.words.size());
      for (const auto& [ngram, times] : ngrams_of(d.words, 4))
        if (known.contains(ngram)) {
          expected[ngram.size()] += p * times;
          gain += worth[ngram.size()] * times;
        }
      expected[5] -= p * (d.score - total);
      mean += p * gain;
      for (const EdgeId edge : d.edges) slopes[edge] += p * gain;
    }
    for (const Derivation& d : all)
      for (const EdgeId edge : d.edges) slopes[edge] -= std::exp(d.score - total) * mean;
    for (std::size_t i = 0; i < row.size(); ++i) CHECK(check::near(row[i], expected[i], 1e-9));
    sentence.slopes(worth, 0, space);
    for (EdgeId e = 0; e < graph.edges(); ++e) CHECK(check::near(space.slopes[e], slopes[e], 1e-8));
  }
}
