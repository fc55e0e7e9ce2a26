// The target sides that may replace a source side, best first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/arena.hpp"
#include "decoding/leave_one_out.hpp"
#include "decoding/model.hpp"
#include "decoding/options.hpp"

namespace tunesmith {

// A rule ready for search.
struct TargetOption {
  float estimate;  // local score and what features across rules expect without context: the order of options
  float local;
  RuleId rule;
  TargetSide side;
  const std::byte* prepared;  // of all features across rules, one behind the other; null before it is first used
  const ScoreChange* change = nullptr;  // in this sentence; already in the scores above
};

// Options by source side, computed when a side is first met under the current weights and kept from sentence to
// sentence. One for each thread; what it gives depends on nothing but the model, and on the sentence pair that is
// left out.
class TargetOptions {
 public:
  TargetOptions(const HieroModel& model, const DecoderOptions& options);

  // To be called before each sentence: forgets what was computed under other weights, or when too much is kept.
  // What it costs does not depend on the size of the table. left_out: the sentence pair that is left out of the
  // counts; the options of this sentence are then its own.
  void refresh(const OwnPair* left_out = nullptr);
  std::span<TargetOption> of(std::uint32_t side) { return left_out_ != nullptr ? own_of(side) : common_of(side); }
  // Makes an option of of() ready to be scored.
  void prepare(TargetOption& option) {
    if (option.prepared == nullptr) option.prepared = prepared(no_sentence, option.side, arena_);
  }

  // An option for rules that every sentence has, or for this sentence alone; `symbols` must outlive it.
  TargetOption special(const Sentence& sentence, Join join, std::span<const std::int32_t> symbols, Arena& arena);

 private:
  static const Sentence no_sentence;
  struct List {
    TargetOption* begin = nullptr;
    std::uint32_t count = 0;
    std::uint32_t epoch = 0;
  };
  // A rule as it is without sentence, for the lists of sentences.
  struct Score {
    float estimate, local;
    const std::byte* prepared;
  };
  // The options of a side in the last sentence that met it with a pair left out.
  struct OwnList {
    std::uint32_t side;
    std::uint32_t count = 0;
    std::uint64_t sentence = 0;
    TargetOption* begin = nullptr;
    Score* scores = nullptr;  // of all rules of the side, from the first time that they are needed
  };
  struct RuleRange {
    RuleId begin, end;
  };
  RuleRange rules_of(std::uint32_t side) const;
  std::span<TargetOption> common_of(std::uint32_t side);
  std::span<TargetOption> own_of(std::uint32_t side);
  OwnList& own_list(std::uint32_t side);
  void fill_own(OwnList& list, RuleRange rules);
  void remember_prepared();
  // Fills all_ with the options of these rules of a side.
  void score(std::uint32_t side, RuleRange rules);
  // The best of all_, best first, in `arena`.
  std::span<TargetOption> best_of_all(Arena& arena);
  void fill(std::uint32_t side, List& list);
  float estimate(const Sentence& sentence, const TargetSide& side) const;
  const std::byte* prepared(const Sentence& sentence, const TargetSide& side, Arena& arena) const;
  void check(RuleId rule, std::span<const std::int32_t> symbols, std::uint32_t gaps) const;

  const HieroModel& model_;
  const DecoderOptions& options_;
  std::size_t prepared_bytes_ = 0;
  std::vector<List> lists_;
  Arena arena_;
  std::uint32_t epoch_ = 0;
  std::uint64_t model_epoch_ = 0;
  // Of one side, while its list is made.
  std::vector<TargetOption> all_;
  std::vector<std::uint32_t> order_;
  // With a pair left out.
  const OwnPair* left_out_ = nullptr;
  std::uint64_t sentence_ = 0;
  Arena sentence_arena_;
  std::vector<OwnList> own_lists_;             // of the sides met under the current weights
  std::vector<std::uint32_t> own_list_of_;     // where the list of a side may stand; it names its side
  std::vector<std::uint32_t> sentence_lists_;  // those made for this sentence
  std::vector<ScoreChange> changes_;           // of the rules of one side
};

}  // namespace tunesmith
