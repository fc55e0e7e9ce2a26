// Features that look at a rule, the sentence and the span that the rule covers, and at nothing else.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "features/application.hpp"
#include "features/search/sparse_names.hpp"
#include "features/sentence.hpp"
#include "features/target_side.hpp"

namespace tunesmith {

// A rule at a place, with its target side.
struct PlacedRule {
  Application application;
  TargetSide side;
};

// The values of one feature in one sentence. One thread works on a sentence; what is computed may be kept.
class SpanValues {
 public:
  virtual ~SpanValues() = default;
  // Whether the next sentence of the thread may use them, if weights have not changed.
  virtual bool lasts() const { return false; }
  // Makes values that last ready for that sentence, which outlives their use.
  virtual void begin(const Sentence&) {}
  // The rules that may cover the same span, before any of them is scored; for features that are faster at many
  // rules at once.
  virtual void open(std::span<const PlacedRule>) {}
  // The weighted score, and the unweighted values.
  virtual float score(const PlacedRule& rule) = 0;
  virtual void list(const PlacedRule& rule, SparseValues& out) = 0;
};

// Read-only while sentences are decoded: any number of threads call start() at once. Weights change in between.
class SpanFeature : public SparseNames {
 public:
  // The name of the template; its features are called `template:detail`.
  virtual std::string_view name() const = 0;
  // Whether values depend on the target side and the sentence alone, not on the place, and open() does nothing:
  // search then ranks options by them.
  virtual bool of_sentence() const { return false; }
  // Whether values depend on the rule alone: search then keeps its score until weights change.
  virtual bool of_rule() const { return false; }
  // The sentence outlives what is returned.
  virtual std::unique_ptr<SpanValues> start(const Sentence& sentence) const = 0;
  // weights[id] for every id there is; the array stays where it is until the next call.
  virtual void set_weights(std::span<const double> weights) = 0;
};

}  // namespace tunesmith
