#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "bind/convert.hpp"
#include "search/graphs/bayes_risk.hpp"
#include "search/graphs/derivations.hpp"

namespace tunesmith::bind {
namespace {

BayesRiskOptions options_of(double scale, NgramEvidence evidence, const std::vector<double>& thetas,
                            double density, std::size_t most) {
  if (thetas.size() < 2 || thetas.size() > 10) throw Error("there must be a θ for words and for 1 to 9 orders");
  for (const double number : thetas)
    if (!std::isfinite(number)) throw Error("every θ must be a finite number");
  if (!std::isfinite(scale)) throw Error("the scale must be a finite number");
  if (!(density >= 0)) throw Error("the density must be at least 0");
  return {scale, evidence, {thetas[0], {thetas.begin() + 1, thetas.end()}}, density, most};
}

// The best derivations of graphs: edge offsets, edges, gains.
auto bayes_risks(const std::vector<const Hypergraph*>& graphs, const std::vector<Doubles>& scores, double scale,
                 NgramEvidence evidence, const std::vector<double>& thetas, double density, std::size_t most,
                 int threads) {
  if (scores.size() != graphs.size()) throw Error("there must be scores for each graph");
  const BayesRiskOptions options = options_of(scale, evidence, thetas, density, most);
  std::vector<BayesRiskBest> found(graphs.size());
  without_gil([&] {
    parallel_ranges(graphs.size(), threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) found[i] = bayes_risk(*graphs[i], span_of(scores[i]), options);
    });
  });
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> edges;
  std::vector<double> gains;
  for (const BayesRiskBest& one : found) {
    edges.insert(edges.end(), one.edges.begin(), one.edges.end());
    offsets.push_back(edges.size());
    gains.push_back(one.gain);
  }
  return array_tuple(std::move(offsets), std::move(edges), std::move(gains));
}

// N-grams of a graph: word offsets, words, evidence; and how many edges it was split into.
auto posteriors_of_graph(const Hypergraph& graph, const Doubles& scores, double scale, NgramEvidence evidence,
                         int order, double density, std::size_t most) {
  const std::vector<double> thetas(static_cast<std::size_t>(std::clamp(order, 0, 10)) + 1);
  const BayesRiskOptions options = options_of(scale, evidence, thetas, density, most);
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int32_t> words;
  std::vector<double> values;
  std::size_t edges = 0;
  without_gil([&] {
    const NgramEvidenceGraph found = evidence_graph(graph, span_of(scores), options);
    values = ngram_posteriors(found.split, found.scores, evidence);
    for (std::uint32_t ngram = 0; ngram < values.size(); ++ngram) {
      found.split.numbers.append_words(ngram, words);
      offsets.push_back(words.size());
    }
    edges = found.split.edges();
  });
  return std::make_tuple(to_array(std::move(offsets)), to_array(std::move(words)), to_array(std::move(values)),
                         edges);
}

}  // namespace

void bind_bayes_risk(nb::module_& m) {
  nb::enum_<NgramEvidence>(m, "NgramEvidence", "What is known of an n-gram of a search graph.")
      .value("expected", NgramEvidence::expected)
      .value("once", NgramEvidence::once);
  m.def("bayes_risks", &bayes_risks, "graphs"_a, "scores"_a, "scale"_a, "evidence"_a, "thetas"_a, "density"_a,
        "most"_a, "threads"_a = 1,
        "Derivations of highest expected linear gain, one for each graph: offsets, edges in pre-order, gains.");
  m.def("ngram_posteriors", &posteriors_of_graph, "graph"_a, "scores"_a, "scale"_a, "evidence"_a, "order"_a,
        "density"_a, "most"_a, "N-grams of a graph: offsets, words, evidence; edges after splitting.");
}

}  // namespace tunesmith::bind
