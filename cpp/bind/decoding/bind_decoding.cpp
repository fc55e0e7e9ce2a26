#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "bind/decoding/held_decoder.hpp"
#include "bind/decoding/held_leave_one_out.hpp"
#include "bind/interruptible.hpp"
#include "decoding/candidate_arrays.hpp"
#include "features/search/feature_kinds.hpp"

namespace tunesmith::bind {
namespace {

// use(results, met) of these lines, whose sparse features have their numbers, without the GIL.
template <class Use>
auto decode(HeldDecoder& self, nb::handle lines, const Integers& domains, const DecodeRequest& request, bool grow,
            int threads, Use use) {
  auto& names = nb::cast<HeldIndex&>(self.index);
  const Strings strings(lines);
  return locked(self, [&] {
    std::vector<Decoded> results;
    std::vector<Decoder*> decoders;
    for (const auto& each : self.decoders) decoders.push_back(each.get());
    const std::span<const std::int64_t> which = span_of(domains);
    run_interruptibly([&](const std::atomic<bool>& stop) {
      results = Decoder::decode(decoders, which, strings.views(), request, threads, &stop);
    });
    const std::unique_lock index_lock(names.mutex);
    std::vector<std::uint32_t> met;
    for (std::size_t at = 0; at < results.size(); ++at) {
      Decoder& decoder = *decoders[which.empty() ? 0 : static_cast<std::size_t>(which[at])];
      const auto found = decoder.number_sparse({&results[at], 1}, names, grow);
      met.insert(met.end(), found.begin(), found.end());
    }
    return use(std::move(results), std::move(met));
  });
}

auto results(nb::handle_t<HeldDecoder> holder, const StringSequence& lines, std::size_t k, bool distinct,
             bool graph, bool grow, int threads, const HeldLeaveOneOut* left_out, const Integers& pairs,
             const Integers& domains) {
  auto& self = nb::cast<HeldDecoder&>(holder);
  auto found = decode(self, lines, domains, {k, distinct, graph, left_out, span_of(pairs)}, grow, threads,
                      [](std::vector<Decoded>&& found, auto&&) { return std::move(found); });
  nb::typed<nb::list, HeldResult> out;
  for (Decoded& result : found)
    out.append(nb::cast(new HeldResult{nb::borrow(holder), &self.first().model(), std::move(result)},
                        nb::rv_policy::take_ownership));
  return out;
}

ArrayDict candidates(HeldDecoder& self, const StringSequence& lines, std::size_t k, bool distinct, bool grow,
                     int threads, const HeldLeaveOneOut* left_out, const Integers& pairs,
                     const Integers& domains) {
  std::vector<std::uint32_t> met_features;
  CandidateArrays arrays =
      decode(self, lines, domains, {k, distinct, false, left_out, span_of(pairs)}, grow, threads,
             [&](const std::vector<Decoded>& found, std::vector<std::uint32_t>&& met) {
               met_features = std::move(met);
               return candidate_arrays(found, self.first().model());
             });
  const std::size_t candidates = arrays.scores.size();
  ArrayDict out;
  out["sentences"] = to_array(std::move(arrays.sentences));
  out["scores"] = to_array(std::move(arrays.scores));
  out["rule_offsets"] = to_array(std::move(arrays.rule_offsets));
  out["rules"] = to_array(std::move(arrays.rules));
  out["states"] = to_rows(std::move(arrays.states), candidates, arrays.state_ids.size());
  out["state_ids"] = to_array(std::move(arrays.state_ids));
  out["pair_offsets"] = to_array(std::move(arrays.pair_offsets));
  out["pair_ids"] = to_array(std::move(arrays.pair_ids));
  out["pair_values"] = to_array(std::move(arrays.pair_values));
  out["word_offsets"] = to_array(std::move(arrays.word_offsets));
  out["words"] = to_array(std::move(arrays.words));
  out["new_words"] = arrays.new_words;
  out["limited"] = to_array(std::move(arrays.limited));
  out["met"] = to_array(std::move(met_features));
  return out;
}

// For Python's garbage collector: a function of Python that computes a feature may know the decoder that calls it.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const auto& held = *nb::inst_ptr<HeldDecoder>(self);
  for (const auto& [kind, name, values] : held.features) Py_VISIT(values.ptr());
  for (const auto& function : held.functions) Py_VISIT(function->held().ptr());
  return 0;
}

// What the core reads stays: results may still refer to it.
int clear(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  auto& held = *nb::inst_ptr<HeldDecoder>(self);
  for (auto& [kind, name, values] : held.features)
    if (kind == "python") values = ArrayDict(nb::dict());
  for (const auto& function : held.functions) function->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

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
        std::vector<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, bool>> out;
        for (const SearchSetting& setting : search_kind(search).settings)
          out.emplace_back(setting.name, setting.usual, setting.least, setting.most, setting.is_switch);
        return out;
      },
      "search"_a,
      "Settings of one kind of search: name, usual value, least, largest, whether it is true or false.");
  m.def(
      "search_kinds",
      [] {
        std::vector<std::string> out;
        for (const SearchKind* const kind : search_kinds()) out.emplace_back(kind->name);
        return out;
      },
      "Names of all searches.");
  m.def(
      "searches_serving",
      [](const std::string& feature) {
        std::vector<std::string> out;
        for (const FeatureKind& known : feature_kinds())
          for (const SearchKind* const kind : search_kinds())
            if (known.name == feature && known.serves(kind->growth)) out.emplace_back(kind->name);
        return out;
      },
      "feature"_a,
      "Names of the searches that can compute a feature of the core; none if it has no such feature.");
  m.def(
      "search_rules", [](const std::string& search) { return std::string(search_kind(search).rules); }, "search"_a,
      "The kind of rule table that a search takes.");
  nb::class_<HeldDecoder>(m, "Decoder", nb::type_slots(slots), "Search over many lines.")
      .def(nb::init<const std::string&, Of<HeldRules>, Of<FeatureMatrix>, Of<HeldIndex>,
                    std::vector<DescribedFeature>, const DecoderOptions&, const std::vector<std::int32_t>&>(),
           "search"_a, "rules"_a, "matrix"_a, "index"_a, "features"_a, "options"_a, "labels"_a,
           "labels: one for each domain, -1 for a sentence without a label.")
      .def(
          "feature_names", [](const HeldDecoder& self) { return self.first().feature_names(); },
          "Names of the features of the search: those across rules, then span features.")
      .def(
          "set_weights",
          [](HeldDecoder& self, const Doubles& weights, std::size_t domain) {
            locked(self, [&] { self.of(domain).set_weights(copy_of(weights)); });
          },
          "weights"_a, "domain"_a = 0, "All weights of a domain by number; missing ones are 0.")
      .def(
          "update_weights",
          [](HeldDecoder& self, const Ids& ids, const Doubles& values, std::size_t domain) {
            locked(self, [&] { self.of(domain).update_weights(span_of(ids), span_of(values)); });
          },
          "ids"_a, "values"_a, "domain"_a = 0, "Some weights of a domain; the others stay.")
      .def(
          "check_not_waiting", [](const HeldDecoder& self) { self.call.check_not_waiting(); },
          "Raise an error where a feature that this decoder calls would wait for it.")
      .def(
          "weights",
          [](HeldDecoder& self) { return to_array(locked(self, [&] { return self.first().weights(); })); },
          "A copy of all weights, of the first domain.")
      .def(
          "set_forced",
          [](HeldDecoder& self,
             std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>&& pairs) {
            std::vector<ForcedPhrase> phrases;
            for (auto& [source, target] : pairs) phrases.push_back({std::move(source), std::move(target)});
            locked(self, [&] {
              for (const auto& each : self.decoders) each->set_forced(phrases);
            });
          },
          "pairs"_a, "Source words that are always translated so.")
      .def(
          "start_profile",
          [](HeldDecoder& self) {
            locked(self, [&] {
              for (const auto& each : self.decoders) each->start_profile();
            });
          },
          "Take times from now on.")
      .def(
          "profile",
          [](HeldDecoder& self) {
            SearchProfile profile = locked(self, [&] {
              SearchProfile sum = self.first().profile();
              for (std::size_t i = 1; i < self.decoders.size(); ++i) sum.add(self.decoders[i]->profile());
              return sum;
            });
            return std::make_tuple(profile.search, profile.target_sides, profile.features, profile.lists,
                                   profile.edges);
          },
          "Seconds since start_profile(): search, lists of target sides, each feature across rules, graphs and "
          "lists; edges that were scored.")
      .def(
          "can_have", [](HeldDecoder& self, const std::string& name) { return self.first().can_have(name); },
          "name"_a, "Whether a sparse feature across rules can have this name.")
      .def(
          "learn_names",
          [](HeldDecoder& self, std::uint32_t first) {
            auto& names = nb::cast<HeldIndex&>(self.index);
            locked(self, [&] {
              const std::shared_lock index_lock(names.mutex);
              for (const auto& each : self.decoders) each->learn_names(names, first);
            });
          },
          "first"_a, "Sparse features across rules get the numbers that the index has for them, from `first` on.")
      .def("decode", &results, "lines"_a, "k"_a, "distinct"_a, "graph"_a, "grow"_a, "threads"_a,
           "left_out"_a.none(), "pairs"_a, "domains"_a,
           "Translate lines; grow: sparse features that are new get numbers. pairs: which sentence pair is left "
           "out for each line. domains: of each line, where there are several.")
      .def("candidates", &candidates, "lines"_a, "k"_a, "distinct"_a, "grow"_a, "threads"_a, "left_out"_a.none(),
           "pairs"_a, "domains"_a, "The k best of each line as flat arrays (cpp/decoding/candidate_arrays.hpp).");
}

}  // namespace tunesmith::bind
