// A decoder and its results as Python holds them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bind/decoding/feature_inputs.hpp"
#include "bind/grammar/held_rules.hpp"
#include "decoding/decoder.hpp"
#include "decoding/search_kinds.hpp"

namespace tunesmith::bind {

// An object of Python that holds a T.
template <class T>
using Of = nb::typed<nb::object, T>;

// The objects of Python that a decoder reads, and the lock between threads of Python. There is a decoder for each
// domain, with weights of its own, and one where the model has no domains.
struct HeldDecoder {
  nb::object rules, matrix, index;
  std::vector<DescribedFeature> features;
  DecoderCall call;
  PythonFunctions functions;
  std::vector<std::unique_ptr<Decoder>> decoders;
  std::mutex mutex;

  HeldDecoder(const std::string& search, Of<HeldRules> held_rules, Of<FeatureMatrix> held_matrix,
              Of<HeldIndex> held_index, std::vector<DescribedFeature> described, const DecoderOptions& options,
              const std::vector<std::int32_t>& labels)
      : rules(std::move(held_rules)),
        matrix(std::move(held_matrix)),
        index(std::move(held_index)),
        features(std::move(described)) {
    const auto& table = nb::cast<const HeldRules&>(rules);
    for (const std::int32_t label : labels) {
      DecoderModel model;
      model.search = &search_kind(search);
      model.rules = table;
      model.matrix = {std::shared_ptr<void>(), &nb::cast<const FeatureMatrix&>(matrix)};
      PythonFunctions made = add_features(features, table, nb::cast<HeldIndex&>(index), call, model);
      functions.insert(functions.end(), made.begin(), made.end());
      model.trie = table.trie.lock();
      without_gil([&] { decoders.push_back(std::make_unique<Decoder>(std::move(model), options)); });
      decoders.back()->set_label(label);
      table.trie = first().model().trie;
    }
    if (decoders.empty()) throw Error("there must be a label for the decoder");
  }

  Decoder& first() const { return *decoders.front(); }
  Decoder& of(std::size_t domain) const {
    if (domain >= decoders.size()) throw Error("there is no domain " + std::to_string(domain));
    return *decoders[domain];
  }
};

// The same as locked(), but throws Error where a feature of the decoder would wait for the decoder.
template <class Work>
auto locked(HeldDecoder& self, Work work) {
  self.call.check_not_waiting();
  const DecoderCall* const caller = DecoderCall::current();
  const nb::gil_scoped_release release;
  const std::lock_guard lock(self.mutex);
  self.call.caller = caller;
  return work();
}

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

}  // namespace tunesmith::bind
