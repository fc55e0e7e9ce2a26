#include "decoding/target_options.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace tunesmith {
namespace {

// Beyond this much, what was computed for earlier sentences is forgotten.
constexpr std::size_t most_bytes = std::size_t{1} << 28;

// Sums of such scores are finite floats, whatever values a feature has: search must be able to order them.
float as_score(double local) {
  return static_cast<float>(std::clamp(local, -1e30, 1e30));
}

}  // namespace

const Sentence TargetOptions::no_sentence;

TargetOptions::TargetOptions(const HieroModel& model, const DecoderOptions& options, SearchProfile* profile)
    : model_(model),
      profile_(profile),
      // A span scores one option after the other: those behind so many are never reached.
      most_options_(DecoderOptions::most_scored(options.pop_limit)),
      lists_(model.rules.sides()) {
  if (options.table_limit > 0) most_options_ = std::min<std::size_t>(most_options_, options.table_limit);
  for (const auto& feature : model.features) prepared_bytes_ += (feature->prepared_bytes() + 7) & ~std::size_t{7};
}

void TargetOptions::refresh() {
  if (model_epoch_ == model_.epoch && arena_.used() < most_bytes) return;
  model_epoch_ = model_.epoch;
  arena_.clear();
  if (++epoch_ == 0) {  // after 2³² changes: no list may look as if it were of this epoch
    std::fill(lists_.begin(), lists_.end(), List{});
    epoch_ = 1;
  }
}

std::span<TargetOption> TargetOptions::of(std::uint32_t side) {
  List& list = lists_[side];
  if (list.epoch != epoch_) fill(side, list);
  return {list.begin, list.count};
}

float TargetOptions::estimate(const Sentence& sentence, const TargetSide& side) const {
  float sum = 0;
  for (const auto& feature : model_.features) sum += feature->estimate(sentence, side);
  return sum;
}

float TargetOptions::most_estimate() const {
  float sum = 0;
  for (const auto& feature : model_.features) sum += feature->most_estimate();
  return sum;
}

TargetSide TargetOptions::target_of(RuleId rule) const {
  return {model_.rules.target(rule), Join::rule, model_.target_vocabulary()};
}

const std::byte* TargetOptions::prepared(const Sentence& sentence, const TargetSide& side, Arena& arena) const {
  std::byte* const out = arena.take(prepared_bytes_);
  std::byte* at = out;
  for (const auto& feature : model_.features) {
    feature->prepare(sentence, side, at);
    at += (feature->prepared_bytes() + 7) & ~std::size_t{7};
  }
  return out;
}

// Gaps of the target side are those of the source side, each once; words are in the vocabulary.
void TargetOptions::check(RuleId rule, std::span<const std::int32_t> symbols, std::uint32_t gaps) const {
  std::uint32_t seen = 0;
  for (const std::int32_t symbol : symbols) {
    const bool possible = symbol >= 0 ? static_cast<std::uint32_t>(symbol) < model_.target_vocabulary()
                                      : symbol >= -2 && (seen & 1u << (-1 - symbol)) == 0;
    if (symbol < 0 && possible) seen |= 1u << (-1 - symbol);
    if (!possible) throw Error("the target side of rule " + std::to_string(rule) + " is damaged");
  }
  if (seen != (1u << gaps) - 1)
    throw Error("the sides of rule " + std::to_string(rule) + " have different gaps; the table is damaged");
}

void TargetOptions::fill(std::uint32_t side, List& list) {
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->target_sides);
  const std::uint64_t begin = model_.rules.source_rules[side], end = model_.rules.source_rules[side + 1];
  if (begin > end || end > model_.rules.rules())
    throw Error("source_rules: entry " + std::to_string(side) + " is not possible; the table is damaged");
  std::uint32_t gaps = 0;
  for (const std::int32_t symbol : model_.rules.source(side)) gaps += symbol < 0;

  ranked_.clear();
  for (std::uint64_t i = begin; i < end; ++i) {
    const auto rule = static_cast<RuleId>(i);
    const float local = as_score(model_.local_score(rule));
    ranked_.push_back({local, local, rule});
  }
  const auto better = [](const Ranked& a, const Ranked& b) {
    return a.estimate != b.estimate ? a.estimate > b.estimate : a.rule < b.rule;
  };
  const std::size_t kept = std::min(ranked_.size(), most_options_);
  const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(kept);
  if (last != ranked_.end()) std::nth_element(ranked_.begin(), last, ranked_.end(), better);
  const auto estimate_all = [&](Ranked& ranked) {
    const TargetSide target = target_of(ranked.rule);
    check(ranked.rule, target.symbols, gaps);
    ranked.estimate = ranked.local + estimate(no_sentence, target);
  };
  std::for_each(ranked_.begin(), last, estimate_all);
  if (last != ranked_.end()) {
    // Of the others only those are looked at that could be better than one of these.
    const float worst = std::min_element(ranked_.begin(), last, [](const Ranked& a, const Ranked& b) {
                          return a.estimate < b.estimate;
                        })->estimate;
    const float most = most_estimate();
    ranked_.erase(
        std::remove_if(last, ranked_.end(), [&](const Ranked& ranked) { return ranked.local + most < worst; }),
        ranked_.end());
    std::for_each(last, ranked_.end(), estimate_all);
    if (last != ranked_.end()) std::nth_element(ranked_.begin(), last, ranked_.end(), better);
  }
  std::sort(ranked_.begin(), last, better);
  auto* out = reinterpret_cast<TargetOption*>(arena_.take(kept * sizeof(TargetOption)));
  for (std::size_t i = 0; i < kept; ++i) {
    const auto& [estimate, local, rule] = ranked_[i];
    new (out + i) TargetOption{estimate, local, rule, target_of(rule), nullptr};
  }
  list = {out, static_cast<std::uint32_t>(kept), epoch_};
}

TargetOption TargetOptions::special(const Sentence& sentence, Join join, std::span<const std::int32_t> symbols,
                                    Arena& arena) {
  static constexpr SpecialRule rule_of[] = {SpecialRule::count, SpecialRule::unknown, SpecialRule::glue,
                                            SpecialRule::begin, SpecialRule::end};
  const RuleId rule = model_.special(rule_of[static_cast<std::size_t>(join)]);
  const TargetSide side{symbols, join, model_.target_vocabulary()};
  const auto local = as_score(model_.local_score(rule));
  return {local + estimate(sentence, side), local, rule, side, prepared(sentence, side, arena)};
}

}  // namespace tunesmith
