#include "decoding/target_options.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
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

TargetOptions::TargetOptions(const HieroModel& model, const DecoderOptions& options)
    : model_(model), options_(options), lists_(model.rules.sides()) {
  for (const auto& feature : model.features) prepared_bytes_ += (feature->prepared_bytes() + 7) & ~std::size_t{7};
}

void TargetOptions::refresh(const OwnPair* left_out) {
  remember_prepared();
  left_out_ = left_out;
  ++sentence_;
  if (model_epoch_ == model_.epoch && arena_.used() < most_bytes) return;
  model_epoch_ = model_.epoch;
  arena_.clear();
  own_lists_.clear();
  if (++epoch_ == 0) {  // after 2³² changes: no list may look as if it were of this epoch
    std::fill(lists_.begin(), lists_.end(), List{});
    epoch_ = 1;
  }
}

std::span<TargetOption> TargetOptions::common_of(std::uint32_t side) {
  List& list = lists_[side];
  if (list.epoch != epoch_) fill(side, list);
  return {list.begin, list.count};
}

TargetOptions::OwnList& TargetOptions::own_list(std::uint32_t side) {
  if (own_list_of_.empty()) own_list_of_.resize(lists_.size());
  std::uint32_t& at = own_list_of_[side];
  if (at >= own_lists_.size() || own_lists_[at].side != side) {
    at = static_cast<std::uint32_t>(own_lists_.size());
    own_lists_.push_back({side});
  }
  return own_lists_[at];
}

std::span<TargetOption> TargetOptions::own_of(std::uint32_t side) {
  OwnList& list = own_list(side);
  if (list.sentence != sentence_) {
    list.sentence = sentence_;
    if (const RuleRange rules = rules_of(side); left_out_->concerns(side, rules.begin, rules.end)) {
      fill_own(list, rules);
      sentence_lists_.push_back(own_list_of_[side]);
    } else {
      const std::span<TargetOption> common = common_of(side);
      list.begin = common.data();
      list.count = static_cast<std::uint32_t>(common.size());
    }
  }
  return {list.begin, list.count};
}

void TargetOptions::fill_own(OwnList& list, RuleRange rules) {
  if (list.scores == nullptr) {
    score(list.side, rules);
    list.scores = reinterpret_cast<Score*>(arena_.take(all_.size() * sizeof(Score)));
    for (std::size_t i = 0; i < all_.size(); ++i)
      new (list.scores + i) Score{all_[i].estimate, all_[i].local, nullptr};
  }
  const std::array<std::uint32_t, 2>& columns = left_out_->all().columns;
  double weights[2];
  for (std::size_t i = 0; i < 2; ++i)
    weights[i] = columns[i] == LeaveOneOut::no_column ? 0 : model_.weights[columns[i]];
  all_.clear();
  changes_.resize(rules.end - rules.begin);
  left_out_->visit_used(list.side, rules.begin, rules.end, [&](RuleId rule, const ScoreChange& change) {
    const Score& known = list.scores[rule - rules.begin];
    const float more =
        as_score(weights[0] * static_cast<double>(change[0]) + weights[1] * static_cast<double>(change[1]));
    changes_[rule - rules.begin] = change;
    all_.push_back({known.estimate + more, known.local + more, rule, {}, known.prepared});
  });
  const std::span<TargetOption> best = best_of_all(sentence_arena_);
  for (TargetOption& option : best) {
    option.side = {model_.rules.target(option.rule), Join::rule, model_.target_vocabulary()};
    option.change =
        new (sentence_arena_.take(sizeof(ScoreChange))) ScoreChange(changes_[option.rule - rules.begin]);
  }
  list.begin = best.data();
  list.count = static_cast<std::uint32_t>(best.size());
}

// The next sentence that uses these rules need not prepare them again.
void TargetOptions::remember_prepared() {
  for (const std::uint32_t at : sentence_lists_) {
    const OwnList& list = own_lists_[at];
    const RuleId first = rules_of(list.side).begin;
    for (const TargetOption& option : std::span(list.begin, list.count))
      list.scores[option.rule - first].prepared = option.prepared;
  }
  sentence_lists_.clear();
  sentence_arena_.clear();
}

float TargetOptions::estimate(const Sentence& sentence, const TargetSide& side) const {
  float sum = 0;
  for (const auto& feature : model_.features) sum += feature->estimate(sentence, side);
  return sum;
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

TargetOptions::RuleRange TargetOptions::rules_of(std::uint32_t side) const {
  const std::uint64_t begin = model_.rules.source_rules[side], end = model_.rules.source_rules[side + 1];
  if (begin > end || end > model_.rules.rules())
    throw Error("source_rules: entry " + std::to_string(side) + " is not possible; the table is damaged");
  return {static_cast<RuleId>(begin), static_cast<RuleId>(end)};
}

void TargetOptions::score(std::uint32_t side, RuleRange rules) {
  std::uint32_t gaps = 0;
  for (const std::int32_t symbol : model_.rules.source(side)) gaps += symbol < 0;
  all_.clear();
  for (RuleId rule = rules.begin; rule < rules.end; ++rule) {
    const TargetSide target{model_.rules.target(rule), Join::rule, model_.target_vocabulary()};
    check(rule, target.symbols, gaps);
    const auto local = as_score(model_.local_score(rule));
    all_.push_back({local + estimate(no_sentence, target), local, rule, target, nullptr});
  }
}

std::span<TargetOption> TargetOptions::best_of_all(Arena& arena) {
  const std::size_t count = all_.size();
  const std::size_t kept = options_.table_limit == 0 ? count : std::min<std::size_t>(count, options_.table_limit);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    return all_[a].estimate != all_[b].estimate ? all_[a].estimate > all_[b].estimate : a < b;
  };
  std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept), order_.end(), better);
  auto* out = reinterpret_cast<TargetOption*>(arena.take(kept * sizeof(TargetOption)));
  for (std::size_t i = 0; i < kept; ++i) new (out + i) TargetOption(all_[order_[i]]);
  return {out, kept};
}

void TargetOptions::fill(std::uint32_t side, List& list) {
  score(side, rules_of(side));
  const std::span<TargetOption> best = best_of_all(arena_);
  list = {best.data(), static_cast<std::uint32_t>(best.size()), epoch_};
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
