// Features that look across rules: the interface between them and every search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/application.hpp"
#include "features/covered_words.hpp"
#include "features/sentence.hpp"

namespace tunesmith {

// What joins the parts of an edge: a rule of the table, or one of those that every sentence has.
enum class Join : std::uint8_t { rule, unknown, glue, begin, end };

// The target side of an edge: words of the target vocabulary, gaps as -1 - slot, and words passed through from the
// source: word w ≥ vocabulary is source word w - vocabulary of the sentence.
struct TargetSide {
  std::span<const std::int32_t> symbols;
  Join join;
  std::uint32_t vocabulary;
};

// One edge while it is scored. tails[i] is the feature's own state of the part in slot i.
// `prepared` is what prepare() wrote for this target side. `covered` is what phrase-based search has translated in
// front of this edge; null in others.
struct Combination {
  const Sentence& sentence;
  Application application;
  TargetSide side;
  const std::byte* const* tails;
  const std::byte* prepared;
  const CoveredWords* covered = nullptr;
};

// Unweighted values by the feature's own keys; a key may come more than once, values then add up.
struct SparseValues {
  std::vector<std::uint64_t> keys;
  std::vector<float> values;

  void add(std::uint64_t key, float value) {
    keys.push_back(key);
    values.push_back(value);
  }
};

// Bottom-up search joins parts on both sides, so a state must know the left border and the right one;
// left-to-right search only appends.
enum class SearchOrder { bottom_up, left_to_right };

// Read-only while sentences are decoded: any number of threads call it at once. Weights change between sentences.
//
// States are plain bytes (copied with memcpy, aligned to 8) of a fixed size. Two parts with equal states must be
// scored alike by everything that can still happen to them; search keeps the better one of them.
//
// Values come in two kinds. Dense ones are the few that nearly every edge has (a language model has one); score()
// writes them each time and search keeps them. Sparse ones are many; list() gives them for an edge on request, by
// keys of the feature's own. They get numbers between sentences, in the order of the sentences, so that numbers do
// not depend on threads: the feature is told by number().
class StateFeature {
 public:
  virtual ~StateFeature() = default;

  virtual bool serves(SearchOrder order) const = 0;
  virtual std::size_t state_bytes() const = 0;
  virtual bool equal(const std::byte* a, const std::byte* b) const = 0;
  virtual std::uint64_t hash(const std::byte* state) const = 0;

  // The weighted estimate of what score() will give, knowing nothing of the context: search takes up promising
  // sides first by it, and it is the future cost of phrase-based search.
  virtual float estimate(const Sentence& sentence, const TargetSide& side) const = 0;
  // No side has a larger estimate under the current weights; sides that cannot be among the best are not
  // estimated.
  virtual float most_estimate() const { return std::numeric_limits<float>::infinity(); }
  // What depends on the target side alone, written once for each side that is scored and given to score() each
  // time.
  virtual std::size_t prepared_bytes() const { return 0; }
  virtual void prepare(const Sentence&, const TargetSide&, std::byte*) const {}

  // Whether score() can be told before the edge is made, from where its parts stand in the source and from their
  // rules: of these features a search that appends phrases knows the score when it looks for the best edges.
  virtual bool looks_at_places() const { return false; }
  // What score() will return, for those; estimate() is 0.
  virtual float place_score(const Combination&) const { return 0; }

  // The weighted score of this edge (not of its tails), its state, and its dense values (as many as dense_ids()).
  virtual float score(const Combination& edge, std::byte* state, float* dense) const = 0;
  // Ids of the dense values, in the order in which score() writes them.
  virtual std::span<const std::uint32_t> dense_ids() const { return {}; }

  // The name of the template. Of dense features it is the whole name; sparse ones are called `template:detail`.
  virtual std::string_view name() const = 0;
  virtual bool has_sparse() const { return false; }
  // Appends the sparse values of this edge: score() = Σ weight × value over dense and sparse ones.
  virtual void list(const Combination&, SparseValues&) const {}
  // The detail of a key, and the key of a detail (nothing if no key has it).
  virtual std::string detail(std::uint64_t) const { return {}; }
  virtual std::optional<std::uint64_t> key(std::string_view) const { return std::nullopt; }
  // The sparse feature `key` has this number now; find_number is NumberTable::none where none was given.
  virtual void number(std::uint64_t, std::uint32_t) {}
  virtual std::uint32_t find_number(std::uint64_t) const { return 0xFFFFFFFFu; }

  // weights[id] for every id there is; ids beyond it weigh nothing. The array stays where it is until the next
  // call.
  virtual void set_weights(std::span<const double> weights) = 0;
};

}  // namespace tunesmith
