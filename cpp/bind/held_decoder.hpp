// A decoder and its results as Python holds them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bind/held_rules.hpp"
#include "decoding/decoder.hpp"
#include "features/appended_language_model.hpp"
#include "features/distortion.hpp"
#include "features/language_model.hpp"
#include "features/reordering.hpp"
#include "features/source_triggers.hpp"
#include "features/target_bigrams.hpp"

namespace tunesmith::bind {

// A Python object that outlives the pointer; who makes one keeps the object.
template <class T>
std::shared_ptr<const T> borrowed(const T& object) {
  return {std::shared_ptr<void>(), &object};
}

// An object of Python that holds a T.
template <class T>
using Of = nb::typed<nb::object, T>;

// A row of columns for each rule, their names, and whether they are those of blocks.
using Reordering = std::tuple<Array<float>, std::vector<std::string>, bool>;

// The objects of Python that a decoder reads, and the lock between threads of Python.
struct HeldDecoder {
  nb::object rules, matrix, index;
  nb::list models;
  std::optional<Reordering> reordering;
  std::unique_ptr<Decoder> decoder;
  std::mutex mutex;

  HeldDecoder(const std::string& kind, Of<HeldRules> held_rules, Of<FeatureMatrix> held_matrix,
              Of<HeldIndex> held_index, const std::vector<std::pair<std::string, Of<lm::Model>>>& language_models,
              const std::vector<std::string>& state_features, std::optional<Reordering> held_reordering,
              const DecoderOptions& options)
      : rules(std::move(held_rules)),
        matrix(std::move(held_matrix)),
        index(std::move(held_index)),
        reordering(std::move(held_reordering)) {
    DecoderModel model;
    if (kind != "hiero" && kind != "phrase") throw Error("there is no decoder of the kind " + kind);
    if (kind == "phrase") model.order = SearchOrder::left_to_right;
    model.rules = nb::cast<const HeldRules&>(rules);
    model.matrix = borrowed(nb::cast<const FeatureMatrix&>(matrix));
    auto& names = nb::cast<HeldIndex&>(index);
    const Vocabulary& words = *model.rules.target_words;
    for (const auto& [name, held] : language_models) {
      models.append(held);
      const auto id = names.add(name);
      const auto lm = borrowed(nb::cast<const lm::Model&>(held));
      if (model.order == SearchOrder::left_to_right)
        model.features.push_back(std::make_shared<AppendedLanguageModel>(name, lm, words, id));
      else
        model.features.push_back(std::make_shared<LanguageModelFeature>(name, lm, words, id));
    }
    for (const std::string& name : state_features)
      model.features.push_back(state_feature(name, names, model.rules));
    nb::gil_scoped_release release;
    if (model.order == SearchOrder::bottom_up)
      model.trie = std::make_shared<RuleTrie>(model.rules.source_symbols, model.rules.source_offsets,
                                              model.rules.source_words->size());
    decoder = std::make_unique<Decoder>(std::move(model), options);
  }

 private:
  std::shared_ptr<StateFeature> state_feature(const std::string& name, HeldIndex& names,
                                              const RuleArrays& table) const {
    if (name == "target_bigrams") return std::make_shared<TargetBigrams>(borrowed(*table.target_words));
    if (name == "source_triggers")
      return std::make_shared<SourceTriggers>(borrowed(*table.source_words), borrowed(*table.target_words));
    if (name == "distortion") return std::make_shared<LinearDistortion>(names.add(name));
    if (name != "reordering") throw Error("no feature across rules is called " + name);
    if (!reordering) throw Error("the phrase table has no reordering probabilities");
    const auto& [values, columns, blocks] = *reordering;
    std::vector<std::uint32_t> ids;
    for (const std::string& column : columns) ids.push_back(names.add(name + ":" + column));
    return std::make_shared<LexicalReordering>(columns, std::move(ids), span_of(values), table.rules(),
                                               blocks ? Neighbour::block : Neighbour::phrase);
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

}  // namespace tunesmith::bind
