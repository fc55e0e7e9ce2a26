// Features that look across rules: the interface between them and every search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "features/application.hpp"
#include "features/search/covered_words.hpp"
#include "features/search/sparse_names.hpp"
#include "features/sentence.hpp"
#include "features/target_side.hpp"

namespace tunesmith {

// What a feature keeps while one sentence is decoded: sums that come again, parts of its states. One thread works
// on a sentence.
class SentenceMemory {
 public:
  virtual ~SentenceMemory() = default;
  // Whether the next sentence of the thread may use it, if weights have not changed.
  virtual bool lasts() const { return false; }
  // Makes one that lasts ready for that sentence, which outlives its use.
  virtual void begin(const Sentence&) {}
};

// One edge while it is scored. tails[i] is the feature's own state of the part in slot i.
// `prepared` is what prepare() wrote for this target side. `covered` is what phrase-based search has translated in
// front of this edge; null in others. `memory` is what start() gave for this sentence.
struct Combination {
  const Sentence& sentence;
  Application application;
  TargetSide side;
  const std::byte* const* tails;
  const std::byte* prepared;
  const CoveredWords* covered = nullptr;
  SentenceMemory* memory = nullptr;
};

// A feature that looks across rules. Read-only while sentences are decoded: any number of threads call it at once.
// Weights change between sentences.
//
// States are plain bytes (copied with memcpy, aligned to 8) of a fixed size. Two parts with equal states must be
// scored alike by everything that can still happen to them; search keeps the better one of them.
//
// What only some features offer is its own class below, which they derive from as well: an estimate without
// context, work done once for each target side, scores known from places, sparse values.
class StateFeature {
 public:
  virtual ~StateFeature() = default;

  // The name of the template. Of dense features it is the whole name; sparse ones are called `template:detail`.
  virtual std::string_view name() const = 0;
  // Without a state, all hypotheses look alike to it.
  virtual std::size_t state_bytes() const { return 0; }
  virtual bool equal(const std::byte* a, const std::byte* b) const;
  virtual std::uint64_t hash(const std::byte* state) const;

  // The feature's memory of a sentence, which outlives what is returned; null where it needs none.
  virtual std::unique_ptr<SentenceMemory> start(const Sentence&) const { return nullptr; }

  // The weighted score of this edge (not of its tails), its state, and its dense values (as many as dense_ids()):
  // the few that nearly every edge has, which search keeps. A language model has one.
  virtual float score(const Combination& edge, std::byte* state, float* dense) const = 0;
  // Ids of the dense values, in the order in which score() writes them.
  virtual std::span<const std::uint32_t> dense_ids() const { return {}; }

  // weights[id] for every id there is; ids beyond it weigh nothing. The array stays where it is until the next
  // call.
  virtual void set_weights(std::span<const double> weights) = 0;
};

// A feature that can say what score() will give, knowing nothing of the context: search takes up promising target
// sides first by it, and it is the future cost of phrase-based search. That of other features is 0.
class EstimatesSides {
 public:
  virtual ~EstimatesSides() = default;
  // memory: what start() gave for this sentence.
  virtual float estimate(const Sentence& sentence, const TargetSide& side, SentenceMemory* memory) const = 0;
  // No side with this number of symbols has a larger estimate under the current weights; sides that cannot be
  // among the best are not estimated.
  virtual float most_estimate(std::size_t symbols, SentenceMemory* memory) const = 0;
};

// A feature with work that depends on the rule and its target side alone, under the present weights: done once for
// each side that is scored, and given to score() and place_score() each time as Combination::prepared, which stays
// where it is until the sentence is done. memory: what start() gave for this sentence.
class PreparesSides {
 public:
  virtual ~PreparesSides() = default;
  virtual std::size_t prepared_bytes() const = 0;
  virtual void prepare(const Sentence& sentence, RuleId rule, const TargetSide& side, SentenceMemory* memory,
                       std::byte* prepared) const = 0;
};

// A feature whose score() is known before the edge is made, from where its parts stand in the source and from
// their rules: a search that appends phrases counts it when it looks for the best edges.
class ScoresPlaces {
 public:
  virtual ~ScoresPlaces() = default;
  virtual float place_score(const Combination& edge) const = 0;
};

// A feature across rules with sparse values.
class SparseFeature : public SparseNames {
 public:
  // Appends the sparse values of this edge: score() = Σ weight × value over dense and sparse ones.
  virtual void list(const Combination& edge, SparseValues& out) const = 0;
};

}  // namespace tunesmith
