// The target sides that may replace a source side, best first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/arena.hpp"
#include "decoding/model.hpp"
#include "decoding/options.hpp"
#include "decoding/search_profile.hpp"

namespace tunesmith {

// A rule ready for search.
struct TargetOption {
  float estimate;  // local score and what features across rules expect without context: the order of options
  float local;
  RuleId rule;
  TargetSide side;
  const std::byte* prepared;  // of all features across rules, one behind the other; null before it is first used

  std::uint32_t gaps() const {
    std::uint32_t gaps = 0;
    for (const std::int32_t symbol : side.symbols) gaps += symbol < 0;
    return gaps;
  }
};

// Options by source side, computed when a side is first met under the current weights and kept from sentence to
// sentence. One for each thread; what it gives depends on nothing but the model.
class TargetOptions {
 public:
  // profile: null, or where the time of making lists is added.
  TargetOptions(const HieroModel& model, const DecoderOptions& options, SearchProfile* profile);

  // To be called before each sentence: forgets what was computed under other weights, or when too much is kept.
  // What it costs does not depend on the size of the table.
  void refresh();
  std::span<TargetOption> of(std::uint32_t side);
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
  struct Ranked {
    float estimate, local;
    RuleId rule;
  };
  void fill(std::uint32_t side, List& list);
  float estimate(const Sentence& sentence, const TargetSide& side) const;
  float most_estimate() const;
  TargetSide target_of(RuleId rule) const;
  const std::byte* prepared(const Sentence& sentence, const TargetSide& side, Arena& arena) const;
  void check(RuleId rule, std::span<const std::int32_t> symbols, std::uint32_t gaps) const;

  const HieroModel& model_;
  SearchProfile* profile_;
  std::size_t most_options_;
  std::size_t prepared_bytes_ = 0;
  std::vector<List> lists_;
  Arena arena_;
  std::uint32_t epoch_ = 0;
  std::uint64_t model_epoch_ = 0;
  std::vector<Ranked> ranked_;  // of one side, while its list is made
};

}  // namespace tunesmith
