#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "bind/convert.hpp"
#include "bind/feature_inputs.hpp"
#include "bind/held_leave_one_out.hpp"
#include "bind/held_rules.hpp"
#include "bind/interruptible.hpp"
#include "decoding/candidate_arrays.hpp"
#include "decoding/decoder.hpp"
#include "decoding/search_kinds.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;
using Index = HeldIndex;

// The objects of Python that a decoder reads, and the lock between threads of Python.
struct HeldDecoder {
  nb::object rules, matrix, index;
  std::vector<DescribedFeature> features;
  std::unique_ptr<Decoder> decoder;
  std::mutex mutex;

  HeldDecoder(const std::string& search, nb::object held_rules, nb::object held_matrix, nb::object held_index,
              std::vector<DescribedFeature> described, const DecoderOptions& options)
      : rules(std::move(held_rules)),
        matrix(std::move(held_matrix)),
        index(std::move(held_index)),
        features(std::move(described)) {
    const auto& table = nb::cast<const HeldRules&>(rules);
    DecoderModel model;
    model.search = &search_kind(search);
    model.rules = table;
    model.matrix = {std::shared_ptr<void>(), &nb::cast<const FeatureMatrix&>(matrix)};
    add_features(features, table, nb::cast<Index&>(index), model);
    nb::gil_scoped_release release;
    decoder = std::make_unique<Decoder>(std::move(model), options);
  }
};

// The result for one line, with the decoder whose vocabularies and rules it refers to.
struct HeldResult {
  nb::object holder;
  const DecoderModel* model;
  Decoded decoded;

  std::size_t checked(std::size_t i) const {
    if (i >= decoded.derivations.size())
      throw nb::index_error(("derivation " + std::to_string(i) + " of " +
                             std::to_string(decoded.derivations.size()) + " was asked for")
                                .c_str());
    return i;
  }
};

nb::list decode(nb::handle_t<HeldDecoder> holder, nb::handle lines, std::size_t k, bool distinct, bool graph,
                bool grow, int threads, const HeldLeaveOneOut* left_out, const Integers& pairs) {
  auto& self = nb::cast<HeldDecoder&>(holder);
  auto& names = nb::cast<Index&>(self.index);
  const Strings strings(lines);
  std::vector<Decoded> results;
  {
    nb::gil_scoped_release release;
    const std::lock_guard lock(self.mutex);
    run_interruptibly([&](const std::atomic<bool>& stop) {
      results = self.decoder->decode(strings.views(), {k, distinct, graph, left_out, {pairs.data(), pairs.size()}},
                                     threads, &stop);
    });
    const std::unique_lock index_lock(names.mutex);
    self.decoder->number_sparse(results, names, grow);
  }
  nb::list out;
  for (Decoded& result : results)
    out.append(nb::cast(new HeldResult{nb::borrow(holder), &self.decoder->model(), std::move(result)},
                        nb::rv_policy::take_ownership));
  return out;
}

nb::dict candidates(nb::handle_t<HeldDecoder> holder, nb::handle lines, std::size_t k, bool distinct, bool grow,
                    int threads, const HeldLeaveOneOut* left_out, const Integers& pairs) {
  auto& self = nb::cast<HeldDecoder&>(holder);
  auto& names = nb::cast<Index&>(self.index);
  const Strings strings(lines);
  CandidateArrays arrays;
  {
    nb::gil_scoped_release release;
    const std::lock_guard lock(self.mutex);
    std::vector<Decoded> results;
    run_interruptibly([&](const std::atomic<bool>& stop) {
      results = self.decoder->decode(strings.views(), {k, distinct, false, left_out, {pairs.data(), pairs.size()}},
                                     threads, &stop);
    });
    const std::unique_lock index_lock(names.mutex);
    self.decoder->number_sparse(results, names, grow);
    arrays = candidate_arrays(results, self.decoder->model());
  }
  nb::dict out;
  out["sentences"] = to_array(std::move(arrays.sentences));
  out["scores"] = to_array(std::move(arrays.scores));
  out["rule_offsets"] = to_array(std::move(arrays.rule_offsets));
  out["rules"] = to_array(std::move(arrays.rules));
  const std::size_t columns = arrays.state_ids.size();
  out["states"] = columns == 0 ? nb::cast(to_array(std::move(arrays.states)))
                               : nb::cast(to_array(std::move(arrays.states), columns));
  out["state_ids"] = to_array(std::move(arrays.state_ids));
  out["pair_offsets"] = to_array(std::move(arrays.pair_offsets));
  out["pair_ids"] = to_array(std::move(arrays.pair_ids));
  out["pair_values"] = to_array(std::move(arrays.pair_values));
  out["word_offsets"] = to_array(std::move(arrays.word_offsets));
  out["words"] = to_array(std::move(arrays.words));
  out["new_words"] = arrays.new_words;
  out["limited"] = to_array(std::move(arrays.limited));
  return out;
}

// Edges of a derivation in pre-order: rule, begin, end, number of tails; local score and dense values beside them.
nb::tuple steps(const HeldResult& self, std::size_t i) {
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
  const std::size_t columns = graph.dense_ids.size();
  return nb::make_tuple(
      to_array(std::move(rows), 4), to_array(std::move(local)),
      columns == 0 ? nb::cast(to_array(std::move(dense))) : nb::cast(to_array(std::move(dense), columns)));
}

// Features across rules of a derivation: dense ones, then sparse ones, as (id, value).
nb::tuple state_values(const HeldResult& self, std::size_t i) {
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
  return nb::make_tuple(to_array(std::move(ids)), to_array(std::move(dense)));
}

void bind_result(nb::module_& m) {
  nb::class_<HeldResult>(m, "Decoded", "What search found for one line.")
      .def("__len__", [](const HeldResult& self) { return self.decoded.derivations.size(); })
      .def_prop_ro(
          "graph", [](const HeldResult& self) -> const Hypergraph& { return self.decoded.graph; },
          nb::rv_policy::reference_internal, "The best derivation, or all that was found if it was asked for.")
      .def(
          "local_scores", [](const HeldResult& self) { return to_array(std::vector(self.decoded.local)); },
          nb::rv_policy::move, "Local scores of the applications of the graph.")
      .def(
          "words",
          [](const HeldResult& self) {
            std::vector<std::string> out;
            for (std::size_t i = 0; i < self.decoded.words.size(); ++i)
              out.emplace_back(self.decoded.source_word(i));
            return out;
          },
          "The words of the line, and behind them those that only forced phrases have.")
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
            return nb::str(text.data(), text.size());
          },
          "i"_a, "The words of derivation i.")
      .def(
          "alignment",
          [](const HeldResult& self, std::size_t i) {
            return alignment_of(self.decoded, *self.model, self.checked(i));
          },
          "i"_a, "Links (source position, target position) of derivation i.")
      .def("steps", &steps, "i"_a,
           nb::sig("def steps(self, i: int) -> tuple[numpy.typing.NDArray[numpy.int64], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float32]]"),
           "Edges of derivation i in pre-order: (rule, begin, end, tails), local scores, dense values.")
      .def("state_values", &state_values, "i"_a,
           nb::sig("def state_values(self, i: int) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "Numbers and values of the features across rules.");
}

}  // namespace

void bind_decoding(nb::module_& m) {
  nb::class_<DecoderOptions>(m, "DecoderOptions", "What a search may spend.")
      .def(nb::init<>())
      .def_rw("pop_limit", &DecoderOptions::pop_limit)
      .def_rw("table_limit", &DecoderOptions::table_limit)
      .def_rw("max_words", &DecoderOptions::max_words)
      .def_rw("max_pops", &DecoderOptions::max_pops)
      .def_rw("max_edges", &DecoderOptions::max_edges)
      .def_rw("max_bytes", &DecoderOptions::max_bytes)
      .def_rw("timeout", &DecoderOptions::timeout, nb::arg().none())
      .def(
          "set", [](DecoderOptions& self, const std::string& name, std::int64_t value) { self.own[name] = value; },
          "name"_a, "value"_a, "A setting of one kind of search.");
  m.def(
      "search_settings",
      [](const std::string& search) {
        std::vector<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>> out;
        for (const SearchSetting& setting : search_kind(search).settings)
          out.emplace_back(setting.name, setting.usual, setting.least, setting.most);
        return out;
      },
      "search"_a, "Settings of one kind of search: name, usual value, least and largest.");
  bind_result(m);
  nb::class_<HeldDecoder>(m, "Decoder", "Search over many lines.")
      .def(
          nb::init<const std::string&, nb::object, nb::object, nb::object, std::vector<DescribedFeature>,
                   const DecoderOptions&>(),
          "search"_a, "rules"_a, "matrix"_a, "index"_a, "features"_a, "options"_a,
          nb::sig("def __init__(self, search: str, rules: RuleArrays, matrix: FeatureMatrix, index: FeatureIndex, "
                  "features: collections.abc.Sequence[tuple[str, str, dict[str, typing.Any]]], "
                  "options: DecoderOptions) -> None"))
      .def(
          "feature_names", [](const HeldDecoder& self) { return self.decoder->feature_names(); },
          "Names of the features of the search: those across rules, then span features.")
      .def(
          "set_weights",
          [](HeldDecoder& self, const Values<double>& weights) {
            std::vector<double> copy(weights.data(), weights.data() + weights.size());
            nb::gil_scoped_release release;
            const std::lock_guard lock(self.mutex);
            self.decoder->set_weights(std::move(copy));
          },
          "weights"_a, "All weights by number; missing ones are 0.")
      .def(
          "update_weights",
          [](HeldDecoder& self, const Values<std::uint32_t>& ids, const Values<double>& values) {
            nb::gil_scoped_release release;
            const std::lock_guard lock(self.mutex);
            self.decoder->update_weights({ids.data(), ids.size()}, {values.data(), values.size()});
          },
          "ids"_a, "values"_a, "Some weights; the others stay.")
      .def(
          "weights",
          [](HeldDecoder& self) {
            std::vector<double> copy;
            {
              nb::gil_scoped_release release;
              const std::lock_guard lock(self.mutex);
              copy = self.decoder->weights();
            }
            return to_array(std::move(copy));
          },
          "A copy of all weights.")
      .def(
          "set_forced",
          [](HeldDecoder& self,
             std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>&& pairs) {
            std::vector<ForcedPhrase> phrases;
            for (auto& [source, target] : pairs) phrases.push_back({std::move(source), std::move(target)});
            nb::gil_scoped_release release;
            const std::lock_guard lock(self.mutex);
            self.decoder->set_forced(std::move(phrases));
          },
          "pairs"_a, "Source words that are always translated so.")
      .def(
          "start_profile",
          [](HeldDecoder& self) {
            nb::gil_scoped_release release;
            const std::lock_guard lock(self.mutex);
            self.decoder->start_profile();
          },
          "Take times from now on.")
      .def(
          "profile",
          [](HeldDecoder& self) {
            SearchProfile profile;
            {
              nb::gil_scoped_release release;
              const std::lock_guard lock(self.mutex);
              profile = self.decoder->profile();
            }
            return std::make_tuple(profile.search, profile.target_sides, profile.features, profile.lists,
                                   profile.edges);
          },
          "Seconds since start_profile(): search, lists of target sides, each feature across rules, graphs and "
          "lists; edges that were scored.")
      .def(
          "can_have", [](HeldDecoder& self, const std::string& name) { return self.decoder->can_have(name); },
          "name"_a, "Whether a sparse feature across rules can have this name.")
      .def(
          "learn_names",
          [](HeldDecoder& self, std::uint32_t first) {
            auto& names = nb::cast<Index&>(self.index);
            nb::gil_scoped_release release;
            const std::lock_guard lock(self.mutex);
            const std::shared_lock index_lock(names.mutex);
            self.decoder->learn_names(names, first);
          },
          "first"_a, "Sparse features across rules get the numbers that the index has for them, from `first` on.")
      .def("decode", &decode, "lines"_a, "k"_a, "distinct"_a, "graph"_a, "grow"_a, "threads"_a,
           "left_out"_a.none(), "pairs"_a,
           nb::sig("def decode(self, lines: collections.abc.Sequence[str], k: int, distinct: bool, graph: bool, "
                   "grow: bool, threads: int, left_out: LeaveOneOut | None, "
                   "pairs: numpy.typing.NDArray[numpy.int64]) -> list[Decoded]"),
           "Translate lines; grow: sparse features that are new get numbers. pairs: which sentence pair is left "
           "out "
           "for each line.")
      .def(
          "candidates", &candidates, "lines"_a, "k"_a, "distinct"_a, "grow"_a, "threads"_a, "left_out"_a.none(),
          "pairs"_a,
          nb::sig("def candidates(self, lines: collections.abc.Sequence[str], k: int, distinct: bool, grow: bool, "
                  "threads: int, left_out: LeaveOneOut | None, "
                  "pairs: numpy.typing.NDArray[numpy.int64]) -> dict[str, typing.Any]"),
          "The k best of each line as flat arrays (cpp/decoding/candidate_arrays.hpp).");
}

}  // namespace tunesmith::bind
