#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/edge_scores.hpp"
#include "search/graphs/graph_file.hpp"
#include "search/graphs/hypergraph.hpp"
#include "search/graphs/inside_outside.hpp"
#include "search/graphs/kbest.hpp"
#include "search/graphs/lattice.hpp"
#include "search/graphs/oracle.hpp"
#include "search/graphs/prune.hpp"

namespace tunesmith::bind {
namespace {

// A property: a read-only array over one member of the applications.
template <class T>
auto application_property(T Application::* member) {
  return [member](nb::handle self) {
    const std::vector<Application>& all = nb::cast<const Hypergraph&>(self).applications;
    const std::int64_t step = sizeof(Application) / sizeof(T);
    return NewArray<const T>(all.empty() ? nullptr : &(all.front().*member), {all.size()}, self, {step});
  };
}

Hypergraph make_graph(const Ids& node_edges, const Ids& tail_offsets, const Ids& tails, const Ids& symbol_offsets,
                      const Array<std::int32_t>& symbols, const Ids& edge_application, const Ids& dense_ids,
                      const Array<float>& dense, const Ids& sparse_offsets, const Ids& sparse_ids,
                      const Array<float>& sparse_values, const Ids& application_rules,
                      const Array<std::uint16_t>& application_begins, const Array<std::uint16_t>& application_ends,
                      std::uint32_t vocabulary) {
  if (application_begins.size() != application_rules.size() || application_ends.size() != application_rules.size())
    throw Error("rules, begins and ends of the applications differ in number");
  Hypergraph graph;
  graph.node_edges = copy_of(node_edges);
  graph.tail_offsets = copy_of(tail_offsets);
  graph.tails = copy_of(tails);
  graph.symbol_offsets = copy_of(symbol_offsets);
  graph.symbols = copy_of(symbols);
  graph.edge_application = copy_of(edge_application);
  graph.dense_ids = copy_of(dense_ids);
  graph.dense = copy_of(dense);
  graph.sparse_offsets = copy_of(sparse_offsets);
  graph.sparse_ids = copy_of(sparse_ids);
  graph.sparse_values = copy_of(sparse_values);
  for (std::size_t i = 0; i < application_rules.size(); ++i)
    graph.applications.push_back({application_rules(i), application_begins(i), application_ends(i)});
  graph.vocabulary = vocabulary;
  nb::gil_scoped_release release;
  validate(graph);
  return graph;
}

// work(graph, scores, rest) without the GIL, on checked scores.
template <class Work, class... Rest>
auto with_scores(const Hypergraph& graph, const Doubles& scores, Work work, const Rest&... rest) {
  const nb::gil_scoped_release release;
  check_scores(graph, span_of(scores));
  return work(graph, span_of(scores), rest...);
}

template <class Value>
auto rows_tuple(SparseRows<Value>&& rows) {
  return array_tuple(std::move(rows.offsets), std::move(rows.ids), std::move(rows.values));
}

// work(graph, derivations) without the GIL, on derivations that are known to be those of the graph.
template <class Work>
auto with_derivations(const Hypergraph& graph, const Derivations& derivations, Work work) {
  const nb::gil_scoped_release release;
  for (std::size_t i = 0; i < derivations.size(); ++i) check_derivation(graph, derivations.edges_of(i));
  return work(graph, derivations);
}

Oracles run_oracle(const Hypergraph& self, const Doubles& scores,
                   const std::vector<std::vector<std::int32_t>>& references,
                   const Array<std::int32_t>& symbol_numbers, double model, double metric, std::size_t k,
                   std::size_t beam, int order, LengthRule length, bool smooth_unigrams, bool smooth_brevity,
                   bool grounded, std::vector<double> background, bool scale_by_reference) {
  const OracleOptions options{.model = model,
                              .metric = metric,
                              .k = k,
                              .beam = beam,
                              .order = order,
                              .length = length,
                              .smoothing = {smooth_unigrams, smooth_brevity, grounded},
                              .background = std::move(background),
                              .scale_by_reference = scale_by_reference};
  return with_scores(self, scores, oracle, references, span_of(symbol_numbers), options);
}

}  // namespace

void bind_search_graph(nb::module_& m) {
  nb::class_<Hypergraph> graph(m, "Hypergraph", "A packed search graph; see cpp/search/graphs/hypergraph.hpp.");
  graph
      .def_static("from_arrays", &make_graph, "node_edges"_a, "tail_offsets"_a, "tails"_a, "symbol_offsets"_a,
                  "symbols"_a, "edge_application"_a, "dense_ids"_a, "dense"_a, "sparse_offsets"_a, "sparse_ids"_a,
                  "sparse_values"_a, "application_rules"_a, "application_begins"_a, "application_ends"_a,
                  "vocabulary"_a, "A graph from copies of these arrays, validated.")
      .def_static(
          "unpack",
          [](nb::bytes bytes) {
            const std::string_view view = text_of(bytes);
            return without_gil([&] { return unpack(view); });
          },
          "bytes"_a, "The graph in the bytes of pack(), validated.")
      .def(
          "pack", [](const Hypergraph& self) { return to_bytes(pack(self)); }, "The graph as bytes.")
      .def_prop_ro("nodes", &Hypergraph::nodes)
      .def_prop_ro("edges", &Hypergraph::edges)
      .def_prop_ro("node_edges", array_property(&Hypergraph::node_edges))
      .def_prop_ro("tail_offsets", array_property(&Hypergraph::tail_offsets))
      .def_prop_ro("tails", array_property(&Hypergraph::tails))
      .def_prop_ro("symbol_offsets", array_property(&Hypergraph::symbol_offsets))
      .def_prop_ro("symbols", array_property(&Hypergraph::symbols))
      .def_prop_ro("edge_application", array_property(&Hypergraph::edge_application))
      .def_prop_ro("dense_ids", array_property(&Hypergraph::dense_ids))
      .def_prop_ro("dense", array_property(&Hypergraph::dense))
      .def_prop_ro("sparse_offsets", array_property(&Hypergraph::sparse_offsets))
      .def_prop_ro("sparse_ids", array_property(&Hypergraph::sparse_ids))
      .def_prop_ro("sparse_values", array_property(&Hypergraph::sparse_values))
      .def_prop_ro("application_rules", application_property(&Application::rule))
      .def_prop_ro("application_begins", application_property(&Application::begin))
      .def_prop_ro("application_ends", application_property(&Application::end))
      .def_ro("vocabulary", &Hypergraph::vocabulary);
  graph
      .def(
          "edge_scores",
          [](const Hypergraph& self, const Doubles& application_scores, const Doubles& weights) {
            return to_array(
                without_gil([&] { return edge_scores(self, span_of(application_scores), span_of(weights)); }));
          },
          "application_scores"_a, "weights"_a, "One score per edge.")
      .def(
          "k_best",
          [](const Hypergraph& self, const Doubles& scores, std::size_t k, bool distinct,
             std::size_t max_skipped) {
            return with_scores(self, scores, k_best, KBestOptions{k, distinct, max_skipped});
          },
          "scores"_a, "k"_a, "distinct"_a, "max_skipped"_a, "The k best derivations (Huang and Chiang 2005).")
      .def(
          "derivation_counts",
          [](const Hypergraph& self, bool log) {
            return to_array(log ? log_derivation_counts(self) : derivation_counts(self));
          },
          "log"_a, "Per node: its number of derivations, or the logarithm.")
      .def(
          "log_inside",
          [](const Hypergraph& self, const Doubles& scores) {
            return to_array(with_scores(self, scores, log_inside));
          },
          "scores"_a, "Per node: log of the sum of exp(score) over its derivations.")
      .def(
          "posteriors",
          [](const Hypergraph& self, const Doubles& scores) {
            return to_array(with_scores(self, scores, posteriors));
          },
          "scores"_a, "Per edge: its expected number of uses.")
      .def(
          "max_marginals",
          [](const Hypergraph& self, const Doubles& scores) {
            return to_array(with_scores(self, scores, max_marginals));
          },
          "scores"_a, "Per edge: the best score of a derivation that uses it.")
      .def(
          "expectations",
          [](const Hypergraph& self, const Doubles& scores) {
            Expectations out = with_scores(self, scores, [](const auto& graph, auto checked) {
              return expectations(graph, posteriors(graph, checked));
            });
            return array_tuple(std::move(out.applications), std::move(out.dense), std::move(out.sparse_ids),
                               std::move(out.sparse_values));
          },
          "scores"_a, "Expected uses of applications, dense block, ids and values of the sparse features.")
      .def(
          "prune_to_beam",
          [](const Hypergraph& self, const Doubles& scores, double beam) {
            return with_scores(self, scores, prune_to_beam, beam);
          },
          "scores"_a, "beam"_a, "Edges whose best derivation is at most `beam` worse than the best.")
      .def(
          "prune_to_size",
          [](const Hypergraph& self, const Doubles& scores, std::size_t edges, PruneBy by) {
            return with_scores(self, scores, prune_to_size, edges, by);
          },
          "scores"_a, "edges"_a, "by"_a, "The best edges, and those of the best derivation.")
      .def("oracle", &run_oracle, "scores"_a, "references"_a, "symbol_numbers"_a, "model"_a, "metric"_a, "k"_a,
           "beam"_a, "order"_a, "length"_a, "smooth_unigrams"_a, "smooth_brevity"_a, "grounded"_a, "background"_a,
           "scale_by_reference"_a, "Derivations by model × score + metric × BLEU.")
      .def_prop_ro("is_lattice", [](const Hypergraph& self) { return is_lattice(self); })
      .def(
          "lattice",
          [](const Hypergraph& self, const Doubles& scores) {
            return with_scores(self, scores,
                               [](const auto& graph, auto checked) { return to_lattice(graph, checked); });
          },
          "scores"_a, "The graph as a word lattice; is_lattice must hold.");
  graph
      .def(
          "application_counts",
          [](const Hypergraph& self, const Derivations& list) {
            return rows_tuple(with_derivations(self, list, application_counts));
          },
          "derivations"_a, "Offsets, applications, counts: a row per derivation.")
      .def(
          "rule_counts",
          [](const Hypergraph& self, const Derivations& list) {
            return rows_tuple(with_derivations(self, list, rule_counts));
          },
          "derivations"_a, "Offsets, rules, counts: a row per derivation.")
      .def(
          "dense_sums",
          [](const Hypergraph& self, const Derivations& list) {
            return to_array(with_derivations(self, list, dense_sums));
          },
          "derivations"_a, "Sums of the dense block, row after row.")
      .def(
          "sparse_sums",
          [](const Hypergraph& self, const Derivations& list) {
            return rows_tuple(with_derivations(self, list, sparse_sums));
          },
          "derivations"_a, "Offsets, ids, sums of the sparse features: a row per derivation.")
      .def(
          "words_of",
          [](const Hypergraph& self, const Ids& edges) {
            std::vector<std::int32_t> words;
            without_gil([&] {
              check_derivation(self, span_of(edges));
              append_words(self, span_of(edges), words);
            });
            return to_array(std::move(words));
          },
          "edges"_a, "The words of one derivation, edges in pre-order.")
      .def(
          "symbol_positions",
          [](const Hypergraph& self, const Ids& edges) {
            return to_array(without_gil([&] {
              check_derivation(self, span_of(edges));
              return symbol_positions(self, span_of(edges));
            }));
          },
          "edges"_a, "Per symbol of these edges (one derivation in pre-order): its position in the sentence.");
  m.def(
      "lattice_of", [](const Derivations& list) { return to_lattice(list); }, "derivations"_a,
      nb::call_guard<nb::gil_scoped_release>(), "The word lattice of a list of derivations.");
}

}  // namespace tunesmith::bind
