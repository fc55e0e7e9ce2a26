#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/convert.hpp"
#include "search/derivations.hpp"
#include "search/edge_scores.hpp"
#include "search/graph_file.hpp"
#include "search/hypergraph.hpp"
#include "search/inside_outside.hpp"
#include "search/kbest.hpp"
#include "search/lattice.hpp"
#include "search/oracle.hpp"
#include "search/prune.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;
using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

template <class T>
std::span<const T> span_of(const Input<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::vector<T> copy_of(const Input<T>& array) {
  return {array.data(), array.data() + array.size()};
}

// A read-only array over a vector inside `owner`, which it keeps alive.
template <class T>
View<T> view(const std::vector<T>& data, nb::handle owner) {
  return View<T>(data.data(), {data.size()}, owner);
}

// A property that is such an array.
template <class Class, class T>
auto array_property(std::vector<T> Class::* member) {
  return [member](nb::handle self) { return view(nb::cast<const Class&>(self).*member, self); };
}

// The same over one member of the applications.
template <class T>
auto application_property(T Application::* member) {
  return [member](nb::handle self) {
    const std::vector<Application>& all = nb::cast<const Hypergraph&>(self).applications;
    const std::int64_t step = sizeof(Application) / sizeof(T);
    return View<T>(all.empty() ? nullptr : &(all.front().*member), {all.size()}, self, {step});
  };
}

Hypergraph make_graph(const Input<std::uint32_t>& node_edges, const Input<std::uint32_t>& tail_offsets,
                      const Input<std::uint32_t>& tails, const Input<std::uint32_t>& symbol_offsets,
                      const Input<std::int32_t>& symbols, const Input<std::uint32_t>& edge_application,
                      const Input<std::uint32_t>& dense_ids, const Input<float>& dense,
                      const Input<std::uint32_t>& sparse_offsets, const Input<std::uint32_t>& sparse_ids,
                      const Input<float>& sparse_values, const Input<std::uint32_t>& application_rules,
                      const Input<std::uint16_t>& application_begins, const Input<std::uint16_t>& application_ends,
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

// Runs `work(scores)` without the GIL on checked scores.
template <class Work>
auto with_scores(const Hypergraph& graph, const Input<double>& scores, Work work) {
  nb::gil_scoped_release release;
  check_scores(graph, span_of(scores));
  return work(span_of(scores));
}

// A list of derivations may meet a graph it is not of.
void check_derivations(const Hypergraph& graph, const Derivations& derivations) {
  for (std::size_t i = 0; i < derivations.size(); ++i) check_derivation(graph, derivations.edges_of(i));
}

template <class Value>
nb::tuple rows_tuple(SparseRows<Value>&& rows) {
  return nb::make_tuple(to_array(std::move(rows.offsets)), to_array(std::move(rows.ids)),
                        to_array(std::move(rows.values)));
}

template <class Work>
auto with_derivations(const Hypergraph& graph, const Derivations& derivations, Work work) {
  nb::gil_scoped_release release;
  check_derivations(graph, derivations);
  return work(graph, derivations);
}

Oracles run_oracle(const Hypergraph& self, const Input<double>& scores,
                   const std::vector<std::vector<std::int32_t>>& references,
                   const Input<std::int32_t>& symbol_numbers, double model, double metric, std::size_t k,
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
  return with_scores(self, scores, [&](std::span<const double> checked) {
    return oracle(self, checked, references, span_of(symbol_numbers), options);
  });
}

void bind_derivations(nb::module_& m) {
  nb::class_<Derivations>(m, "Derivations", "Derivations of one graph, as flat arrays.")
      .def("__len__", &Derivations::size)
      .def_prop_ro("scores", array_property(&Derivations::scores))
      .def_prop_ro("edge_offsets", array_property(&Derivations::edge_offsets))
      .def_prop_ro("edges", array_property(&Derivations::edges))
      .def_prop_ro("word_offsets", array_property(&Derivations::word_offsets))
      .def_prop_ro("words", array_property(&Derivations::words))
      .def_ro("cut", &Derivations::cut);
  nb::class_<Subgraph>(m, "Subgraph", "A part of a graph, and where its parts were before.")
      .def_prop_ro("graph", [](const Subgraph& self) { return self.graph; })
      .def_prop_ro("nodes", array_property(&Subgraph::nodes))
      .def_prop_ro("edges", array_property(&Subgraph::edges))
      .def_prop_ro("applications", array_property(&Subgraph::applications));
  nb::class_<Oracles>(m, "Oracles", "Derivations by a mixture of model score and metric.")
      .def_prop_ro("derivations", [](const Oracles& self) { return self.derivations; })
      .def_prop_ro("objective", array_property(&Oracles::objective))
      .def_prop_ro("metric", array_property(&Oracles::metric))
      .def_prop_ro("statistics", array_property(&Oracles::statistics));
  nb::class_<Lattice>(m, "Lattice", "A word lattice; word -1 is no word.")
      .def_ro("states", &Lattice::states)
      .def_prop_ro("sources", array_property(&Lattice::from))
      .def_prop_ro("targets", array_property(&Lattice::to))
      .def_prop_ro("words", array_property(&Lattice::words))
      .def_prop_ro("scores", array_property(&Lattice::scores));
  nb::enum_<PruneBy>(m, "PruneBy", "What edges are ranked by.")
      .value("posterior", PruneBy::posterior)
      .value("max_marginal", PruneBy::max_marginal);
}

}  // namespace

void bind_search_graph(nb::module_& m) {
  bind_derivations(m);
  nb::class_<Hypergraph> graph(m, "Hypergraph", "A packed search graph; see cpp/search/hypergraph.hpp.");
  graph
      .def_static("from_arrays", &make_graph, "node_edges"_a, "tail_offsets"_a, "tails"_a, "symbol_offsets"_a,
                  "symbols"_a, "edge_application"_a, "dense_ids"_a, "dense"_a, "sparse_offsets"_a, "sparse_ids"_a,
                  "sparse_values"_a, "application_rules"_a, "application_begins"_a, "application_ends"_a,
                  "vocabulary"_a, "A graph from copies of these arrays, validated.")
      .def_static(
          "unpack",
          [](nb::bytes bytes) {
            const std::span<const char> held(bytes.c_str(), bytes.size());
            nb::gil_scoped_release release;
            return unpack(held);
          },
          "bytes"_a, "The graph in the bytes of pack(), validated.")
      .def(
          "pack",
          [](const Hypergraph& self) {
            const std::string bytes = pack(self);
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The graph as bytes.")
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
          [](const Hypergraph& self, const Input<double>& application_scores, const Input<double>& weights) {
            std::vector<double> out;
            {
              nb::gil_scoped_release release;
              out = edge_scores(self, span_of(application_scores), span_of(weights));
            }
            return to_array(std::move(out));
          },
          "application_scores"_a, "weights"_a, "One score per edge.")
      .def(
          "k_best",
          [](const Hypergraph& self, const Input<double>& scores, std::size_t k, bool distinct,
             std::size_t max_skipped) {
            return with_scores(self, scores, [&](std::span<const double> checked) {
              return k_best(self, checked, {k, distinct, max_skipped});
            });
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
          [](const Hypergraph& self, const Input<double>& scores) {
            return to_array(with_scores(self, scores, [&](auto checked) { return log_inside(self, checked); }));
          },
          "scores"_a, "Per node: log of the sum of exp(score) over its derivations.")
      .def(
          "posteriors",
          [](const Hypergraph& self, const Input<double>& scores) {
            return to_array(with_scores(self, scores, [&](auto checked) { return posteriors(self, checked); }));
          },
          "scores"_a, "Per edge: its expected number of uses.")
      .def(
          "max_marginals",
          [](const Hypergraph& self, const Input<double>& scores) {
            return to_array(with_scores(self, scores, [&](auto checked) { return max_marginals(self, checked); }));
          },
          "scores"_a, "Per edge: the best score of a derivation that uses it.")
      .def(
          "expectations",
          [](const Hypergraph& self, const Input<double>& scores) {
            Expectations out = with_scores(
                self, scores, [&](auto checked) { return expectations(self, posteriors(self, checked)); });
            return nb::make_tuple(to_array(std::move(out.applications)), to_array(std::move(out.dense)),
                                  to_array(std::move(out.sparse_ids)), to_array(std::move(out.sparse_values)));
          },
          "scores"_a,
          nb::sig("def expectations(self, scores: numpy.typing.NDArray[numpy.float64]) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float64]]"),
          "Expected uses of applications, dense block, ids and values of the sparse features.")
      .def(
          "prune_to_beam",
          [](const Hypergraph& self, const Input<double>& scores, double beam) {
            return with_scores(self, scores, [&](auto checked) { return prune_to_beam(self, checked, beam); });
          },
          "scores"_a, "beam"_a, "Edges whose best derivation is at most `beam` worse than the best.")
      .def(
          "prune_to_size",
          [](const Hypergraph& self, const Input<double>& scores, std::size_t edges, PruneBy by) {
            return with_scores(self, scores,
                               [&](auto checked) { return prune_to_size(self, checked, edges, by); });
          },
          "scores"_a, "edges"_a, "by"_a, "The best edges, and those of the best derivation.")
      .def("oracle", &run_oracle, "scores"_a, "references"_a, "symbol_numbers"_a, "model"_a, "metric"_a, "k"_a,
           "beam"_a, "order"_a, "length"_a, "smooth_unigrams"_a, "smooth_brevity"_a, "grounded"_a, "background"_a,
           "scale_by_reference"_a, "Derivations by model × score + metric × BLEU.")
      .def_prop_ro("is_lattice", [](const Hypergraph& self) { return is_lattice(self); })
      .def(
          "lattice",
          [](const Hypergraph& self, const Input<double>& scores) {
            return with_scores(self, scores, [&](auto checked) { return to_lattice(self, checked); });
          },
          "scores"_a, "The graph as a word lattice; is_lattice must hold.");
  graph
      .def(
          "application_counts",
          [](const Hypergraph& self, const Derivations& list) {
            return rows_tuple(with_derivations(self, list, application_counts));
          },
          "derivations"_a,
          nb::sig("def application_counts(self, derivations: Derivations) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32]]"),
          "Offsets, applications, counts: a row per derivation.")
      .def(
          "rule_counts",
          [](const Hypergraph& self, const Derivations& list) {
            return rows_tuple(with_derivations(self, list, rule_counts));
          },
          "derivations"_a,
          nb::sig("def rule_counts(self, derivations: Derivations) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32]]"),
          "Offsets, rules, counts: a row per derivation.")
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
          "derivations"_a,
          nb::sig("def sparse_sums(self, derivations: Derivations) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "Offsets, ids, sums of the sparse features: a row per derivation.")
      .def(
          "symbol_positions",
          [](const Hypergraph& self, const Input<std::uint32_t>& edges) {
            std::vector<std::uint32_t> out;
            {
              nb::gil_scoped_release release;
              check_derivation(self, span_of(edges));
              out = symbol_positions(self, span_of(edges));
            }
            return to_array(std::move(out));
          },
          "edges"_a, "Per symbol of these edges (one derivation in pre-order): its position in the sentence.");
  m.def(
      "lattice_of", [](const Derivations& list) { return to_lattice(list); }, "derivations"_a,
      nb::call_guard<nb::gil_scoped_release>(), "The word lattice of a list of derivations.");
}

}  // namespace tunesmith::bind
