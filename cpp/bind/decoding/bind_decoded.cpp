#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/decoding/held_decoder.hpp"

namespace tunesmith::bind {
namespace {

// Edges of a derivation in pre-order: rule, begin, end, number of tails; local score and dense values.
auto steps(const HeldResult& self, std::size_t i) {
  const Hypergraph& graph = self.decoded.graph;
  std::vector<std::int64_t> rows;
  std::vector<double> local;
  std::vector<float> dense;
  for (const EdgeId edge : self.decoded.derivations.edges_of(self.checked(i))) {
    const std::uint32_t number = graph.edge_application[edge];
    const Application& application = graph.applications[number];
    rows.insert(rows.end(), {application.rule, application.begin, application.end,
                             static_cast<std::int64_t>(graph.tails_of(edge).size())});
    local.push_back(self.decoded.local[number]);
    const auto values = graph.dense_of(edge);
    dense.insert(dense.end(), values.begin(), values.end());
  }
  const std::size_t edges = local.size();
  return std::make_tuple(to_rows(std::move(rows), edges, 4), to_array(std::move(local)),
                         to_rows(std::move(dense), edges, graph.dense_ids.size()));
}

// Features across rules of a derivation: dense ones, then sparse ones, as (id, value).
auto state_values(const HeldResult& self, std::size_t i) {
  const Hypergraph& graph = self.decoded.graph;
  std::vector<double> dense(graph.dense_ids.size());
  std::vector<std::pair<std::uint32_t, double>> pairs;
  for (const EdgeId edge : self.decoded.derivations.edges_of(self.checked(i))) {
    const auto values = graph.dense_of(edge);
    for (std::size_t at = 0; at < values.size(); ++at) dense[at] += static_cast<double>(values[at]);
    const auto ids = graph.sparse_ids_of(edge);
    const auto sparse = graph.sparse_values_of(edge);
    for (std::size_t at = 0; at < ids.size(); ++at) pairs.emplace_back(ids[at], static_cast<double>(sparse[at]));
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> ids(graph.dense_ids);
  for (const auto& [id, value] : pairs) {
    if (ids.size() == graph.dense_ids.size() || ids.back() != id) {
      ids.push_back(id);
      dense.push_back(0);
    }
    dense.back() += value;
  }
  return array_tuple(std::move(ids), std::move(dense));
}

// For Python's garbage collector. There is no slot for clearing: the decoder breaks the cycles that results are
// in.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<HeldResult>(self)->holder.ptr());
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {0, nullptr}};

}  // namespace

void bind_decoded(nb::module_& m) {
  nb::class_<HeldResult>(m, "Decoded", nb::type_slots(slots), "What search found for one line.")
      .def("__len__", [](const HeldResult& self) { return self.decoded.derivations.size(); })
      .def_prop_ro(
          "graph", [](const HeldResult& self) -> const Hypergraph& { return self.decoded.graph; },
          nb::rv_policy::reference_internal, "The best derivation, or all that was found if it was asked for.")
      .def(
          "local_scores", [](const HeldResult& self) { return to_array(self.decoded.local); }, nb::rv_policy::move,
          "Local scores of the applications of the graph.")
      .def(
          "words",
          [](const HeldResult& self) {
            std::vector<std::string> out;
            for (std::size_t i = 0; i < self.decoded.words.size(); ++i)
              out.emplace_back(self.decoded.source_word(i));
            return out;
          },
          "The words of the line, and after them those that only forced phrases have.")
      .def_prop_ro("pops", [](const HeldResult& self) { return self.decoded.pops; })
      .def_prop_ro("edges", [](const HeldResult& self) { return self.decoded.edges; })
      .def_prop_ro("bytes", [](const HeldResult& self) { return self.decoded.bytes; })
      .def_prop_ro("limited", [](const HeldResult& self) { return self.decoded.limited; })
      .def_prop_ro("timed_out", [](const HeldResult& self) { return self.decoded.timed_out; })
      .def(
          "score",
          [](const HeldResult& self, std::size_t i) { return self.decoded.derivations.scores[self.checked(i)]; },
          "i"_a, "The model score of derivation i.")
      .def(
          "text",
          [](const HeldResult& self, std::size_t i) {
            const std::string text = text_of(self.decoded, *self.model, self.checked(i));
            return to_str(text);
          },
          "i"_a, "The words of derivation i.")
      .def(
          "alignment",
          [](const HeldResult& self, std::size_t i) {
            return alignment_of(self.decoded, *self.model, self.checked(i));
          },
          "i"_a, "Links (source position, target position) of derivation i.")
      .def(
          "append",
          [](HeldResult& self, const Ids& edges, double score) {
            Derivations& list = self.decoded.derivations;
            check_derivation(self.decoded.graph, span_of(edges));
            append_words(self.decoded.graph, span_of(edges), list.words);
            list.word_offsets.push_back(list.words.size());
            list.edges.insert(list.edges.end(), edges.data(), edges.data() + edges.size());
            list.edge_offsets.push_back(list.edges.size());
            list.scores.push_back(score);
            return list.size() - 1;
          },
          "edges"_a, "score"_a, "Puts another derivation of the graph at the end of the list; gives its number.")
      .def("steps", &steps, "i"_a,
           "Edges of derivation i in pre-order: (rule, begin, end, tails), local scores, dense values.")
      .def("state_values", &state_values, "i"_a, "Numbers and values of the features across rules.");
}

}  // namespace tunesmith::bind
