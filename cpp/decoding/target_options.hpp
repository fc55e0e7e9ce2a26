// The target sides that may replace a source side, best first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/memory/zeroed.hpp"
#include "decoding/chart/arena.hpp"
#include "decoding/model.hpp"
#include "decoding/options.hpp"
#include "decoding/search_profile.hpp"
#include "decoding/sentence_rows.hpp"
#include "decoding/target_option.hpp"

namespace tunesmith {

// Options by source side, computed when a side is first met under the current weights and kept from sentence to
// sentence. One for each thread; what it gives depends on nothing but the model, and on the sentence pair that is
// left out.
class TargetOptions {
 public:
  // profile: null, or where the time of making lists is added.
  TargetOptions(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile);

  // To be called before each sentence: forgets what was computed under other weights, or when too much is kept.
  // What it costs does not depend on the size of the table. rows: of the sentence, whose scores are part of the
  // order; where a sentence pair is left out of the counts, the options of this sentence are its own.
  void refresh(SentenceRows& rows);
  std::span<TargetOption> of(std::uint32_t side) { return rows_->ranks() ? ranked_of(side) : unranked_of(side); }
  // Makes an option of of() ready to be scored.
  void prepare(TargetOption& option) {
    if (option.prepared == nullptr) option.prepared = prepared(no_sentence, option.rule, option.side, arena_);
  }

  // An option in `arena` for one rule of a phrase table.
  TargetOption& single(RuleId rule, Arena& arena);
  // An option in `arena` for rules that every sentence has, or for this sentence alone; `symbols` must outlive it.
  TargetOption& special(const Sentence& sentence, Join join, std::span<const std::int32_t> symbols, Arena& arena);

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
  // The options of a side with the scores of this sentence. from: those without; order: where each was there.
  struct SentenceList {
    std::uint32_t side;
    std::span<TargetOption> options, from;
    const std::uint32_t* order;
  };
  std::span<TargetOption> unranked_of(std::uint32_t side) {
    return left_out_ != nullptr ? own_of(side) : common_of(side);
  }
  std::span<TargetOption> ranked_of(std::uint32_t side);
  struct RuleRange {
    RuleId begin, end;
  };
  RuleRange rules_of(std::uint32_t side) const;
  std::span<TargetOption> common_of(std::uint32_t side);
  std::span<TargetOption> own_of(std::uint32_t side);
  OwnList& own_list(std::uint32_t side);
  void fill_own(OwnList& list, RuleRange rules);
  void remember_prepared();
  // The best of ranked_, best first, in `arena`.
  std::span<TargetOption> best_ranked(Arena& arena);
  struct Ranked {
    float estimate, local;
    RuleId rule;
    const std::byte* prepared;
  };
  struct Better {
    bool operator()(const Ranked& a, const Ranked& b) const {
      return a.estimate != b.estimate ? a.estimate > b.estimate : a.rule < b.rule;
    }
  };
  // Fill ranked_ with these rules of a side: by their local scores (the number of gaps of the side is returned),
  // with all estimates, with the estimates of all that can be among the best.
  std::uint32_t rank_locally(std::uint32_t side, RuleRange rules);
  void score(std::uint32_t side, RuleRange rules);
  void score_reachable(std::uint32_t side, RuleRange rules);
  void add_estimate(Ranked& ranked, std::uint32_t gaps) const;
  void fill(std::uint32_t side, List& list);
  float estimate(const Sentence& sentence, const TargetSide& side) const;
  float most_estimate(std::size_t symbols) const;
  TargetSide target_of(RuleId rule) const;
  // As search uses it: a search that appends has its tail in front, and no gaps: they come after all words.
  TargetSide edge_side(RuleId rule, Arena& arena) const;
  const std::byte* prepared(const Sentence& sentence, RuleId rule, const TargetSide& side, Arena& arena) const;
  void check(RuleId rule, std::span<const std::int32_t> symbols, std::uint32_t gaps) const;

  const DecoderModel& model_;
  bool appends_;  // edges append to one tail, which their sides begin with
  SearchProfile* profile_;
  // Facets of the model's features across rules, with the numbers of the features; preparing ones with the place
  // of what they prepare.
  struct Estimating {
    const EstimatesSides* feature;
    std::size_t number;
  };
  struct Preparing {
    const PreparesSides* feature;
    std::size_t number, place;
  };
  std::vector<Estimating> estimating_;
  std::vector<Preparing> preparing_;
  std::size_t most_options_;
  std::size_t prepared_bytes_ = 0;
  Zeroed<List> lists_;  // by side
  Arena arena_;
  std::uint32_t epoch_ = 0;
  std::uint64_t model_epoch_ = 0;
  SentenceRows* rows_ = nullptr;
  std::vector<Ranked> ranked_;  // of one side, while its list is made
  // With scores of the sentence.
  std::vector<SentenceList> sentence_ranked_;
  std::vector<std::uint32_t> sentence_ranked_of_;  // where the list of a side may stand; it names its side
  std::vector<std::uint32_t> order_;               // of one side, while its list is made
  std::vector<TargetOption> scored_;               // the same
  // The pair that is left out.
  const OwnPair* left_out_ = nullptr;
  std::uint64_t sentence_ = 0;
  Arena sentence_arena_;
  std::vector<OwnList> own_lists_;             // of the sides met under the current weights
  std::vector<std::uint32_t> own_list_of_;     // where the list of a side may stand; it names its side
  std::vector<std::uint32_t> sentence_lists_;  // those made for this sentence
  std::vector<ScoreChange> changes_;           // of the rules of one side
};

}  // namespace tunesmith
