#include "bind/convert.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/lattice.hpp"
#include "search/graphs/oracle.hpp"
#include "search/graphs/prune.hpp"

namespace tunesmith::bind {

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
  nb::class_<Lattice>(m, "Lattice", "A word lattice; word -1 is not a word.")
      .def_ro("states", &Lattice::states)
      .def_prop_ro("sources", array_property(&Lattice::from))
      .def_prop_ro("targets", array_property(&Lattice::to))
      .def_prop_ro("words", array_property(&Lattice::words))
      .def_prop_ro("scores", array_property(&Lattice::scores));
  nb::enum_<PruneBy>(m, "PruneBy", "What edges are ranked by.")
      .value("posterior", PruneBy::posterior)
      .value("max_marginal", PruneBy::max_marginal);
}

}  // namespace tunesmith::bind
