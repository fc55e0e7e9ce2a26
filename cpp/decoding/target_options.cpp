#include "decoding/target_options.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/narrow.hpp"
#include "decoding/search_kinds.hpp"

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

TargetOptions::TargetOptions(const DecoderModel& model, const DecoderOptions& options, SearchProfile* profile)
    : model_(model),
      appends_(appends(model.search->growth)),
      profile_(profile),
      // A span scores its options in order and never reaches an option beyond this number.
      most_options_(DecoderOptions::most_scored(options.pop_limit)),
      lists_(model.rules.sides()) {
  if (options.table_limit > 0) most_options_ = std::min<std::size_t>(most_options_, options.table_limit);
  for (std::size_t number = 0; number < model.features.size(); ++number) {
    const StateFeature* const feature = model.features[number].get();
    if (const auto* const estimating = dynamic_cast<const EstimatesSides*>(feature))
      estimating_.push_back({estimating, number});
    if (const auto* const preparing = dynamic_cast<const PreparesSides*>(feature)) {
      preparing_.push_back({preparing, number, prepared_bytes_});
      prepared_bytes_ += (preparing->prepared_bytes() + 7) & ~std::size_t{7};
    }
  }
}

void TargetOptions::refresh(SentenceRows& rows) {
  remember_prepared();
  rows_ = &rows;
  left_out_ = rows.left_out();
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

// The lists are of this sentence; what is prepared of their options goes back to the lists they were made from.
std::span<TargetOption> TargetOptions::ranked_of(std::uint32_t side) {
  if (sentence_ranked_of_.empty()) sentence_ranked_of_.resize(lists_.size());
  std::uint32_t& at = sentence_ranked_of_[side];
  if (at < sentence_ranked_.size() && sentence_ranked_[at].side == side) return sentence_ranked_[at].options;
  const std::span<TargetOption> from = unranked_of(side);
  scored_.assign(from.begin(), from.end());
  rows_->add_of_sentence(scored_);
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->target_sides);
  order_.resize(from.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const TargetOption &one = scored_[a], &two = scored_[b];
    return one.estimate != two.estimate ? one.estimate > two.estimate : one.rule < two.rule;
  });
  auto* const out = reinterpret_cast<TargetOption*>(sentence_arena_.take(from.size() * sizeof(TargetOption)));
  auto* const order = reinterpret_cast<std::uint32_t*>(sentence_arena_.take(from.size() * sizeof(std::uint32_t)));
  for (std::size_t i = 0; i < from.size(); ++i) new (out + i) TargetOption(scored_[order_[i]]);
  std::copy(order_.begin(), order_.end(), order);
  at = narrow<std::uint32_t>(sentence_ranked_.size());
  sentence_ranked_.push_back({side, {out, from.size()}, from, order});
  return sentence_ranked_.back().options;
}

TargetOptions::OwnList& TargetOptions::own_list(std::uint32_t side) {
  if (own_list_of_.empty()) own_list_of_.resize(lists_.size());
  std::uint32_t& at = own_list_of_[side];
  if (at >= own_lists_.size() || own_lists_[at].side != side) {
    at = narrow<std::uint32_t>(own_lists_.size());
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
      list.count = narrow<std::uint32_t>(common.size());
    }
  }
  return {list.begin, list.count};
}

void TargetOptions::fill_own(OwnList& list, RuleRange rules) {
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->target_sides);
  if (list.scores == nullptr) {
    score(list.side, rules);
    list.scores = reinterpret_cast<Score*>(arena_.take(ranked_.size() * sizeof(Score)));
    for (std::size_t i = 0; i < ranked_.size(); ++i)
      new (list.scores + i) Score{ranked_[i].estimate, ranked_[i].local, nullptr};
  }
  const std::array<std::uint32_t, 2>& columns = left_out_->all().columns;
  double weights[2];
  for (std::size_t i = 0; i < 2; ++i)
    weights[i] = columns[i] == LeaveOneOut::no_column ? 0 : model_.weights[columns[i]];
  ranked_.clear();
  changes_.resize(rules.end - rules.begin);
  left_out_->visit_used(list.side, rules.begin, rules.end, [&](RuleId rule, const ScoreChange& change) {
    const Score& known = list.scores[rule - rules.begin];
    const float more =
        as_score(weights[0] * static_cast<double>(change[0]) + weights[1] * static_cast<double>(change[1]));
    changes_[rule - rules.begin] = change;
    ranked_.push_back({known.estimate + more, known.local + more, rule, known.prepared});
  });
  const std::span<TargetOption> best = best_ranked(sentence_arena_);
  for (TargetOption& option : best)
    option.change =
        new (sentence_arena_.take(sizeof(ScoreChange))) ScoreChange(changes_[option.rule - rules.begin]);
  list.begin = best.data();
  list.count = narrow<std::uint32_t>(best.size());
}

// The next sentence that uses these rules need not prepare them again, nor score them alone.
void TargetOptions::remember_prepared() {
  for (const SentenceList& list : sentence_ranked_)
    for (std::size_t i = 0; i < list.options.size(); ++i) {
      list.from[list.order[i]].prepared = list.options[i].prepared;
      list.from[list.order[i]].of_rule = list.options[i].of_rule;
    }
  sentence_ranked_.clear();
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
  for (const Estimating& each : estimating_)
    sum += each.feature->estimate(sentence, side, rows_->memory(each.number));
  return sum;
}

float TargetOptions::most_estimate(std::size_t symbols) const {
  float sum = 0;
  for (const Estimating& each : estimating_)
    sum += each.feature->most_estimate(symbols, rows_->memory(each.number));
  return sum;
}

TargetSide TargetOptions::target_of(RuleId rule) const {
  return {model_.rules.target(rule), model_.target_vocabulary(), Join::rule};
}

TargetSide TargetOptions::edge_side(RuleId rule, Arena& arena) const {
  TargetSide side = target_of(rule);
  if (!appends_) return side;
  const auto words = static_cast<std::size_t>(
      std::count_if(side.symbols.begin(), side.symbols.end(), [](std::int32_t symbol) { return symbol >= 0; }));
  auto* const symbols = reinterpret_cast<std::int32_t*>(arena.take((words + 1) * sizeof(std::int32_t)));
  symbols[0] = -1;
  std::copy_n(side.symbols.begin(), words, symbols + 1);
  side.symbols = {symbols, words + 1};
  return side;
}

const std::byte* TargetOptions::prepared(const Sentence& sentence, RuleId rule, const TargetSide& side,
                                         Arena& arena) const {
  std::byte* const out = arena.take(prepared_bytes_);
  for (const auto& [feature, number, place] : preparing_)
    feature->prepare(sentence, rule, side, rows_->memory(number), out + place);
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

void TargetOptions::add_estimate(Ranked& ranked, std::uint32_t gaps) const {
  const TargetSide target = target_of(ranked.rule);
  check(ranked.rule, target.symbols, gaps);
  ranked.estimate = ranked.local + estimate(no_sentence, target);
}

std::uint32_t TargetOptions::rank_locally(std::uint32_t side, RuleRange rules) {
  ranked_.clear();
  for (RuleId rule = rules.begin; rule < rules.end; ++rule) {
    const float local = as_score(model_.local_score(rule));
    ranked_.push_back({local, local, rule, nullptr});
  }
  std::uint32_t gaps = 0;
  for (const std::int32_t symbol : model_.rules.source(side)) gaps += symbol < 0;
  return gaps;
}

void TargetOptions::score(std::uint32_t side, RuleRange rules) {
  const std::uint32_t gaps = rank_locally(side, rules);
  for (Ranked& ranked : ranked_) add_estimate(ranked, gaps);
}

void TargetOptions::score_reachable(std::uint32_t side, RuleRange rules) {
  const std::uint32_t gaps = rank_locally(side, rules);
  const std::size_t kept = std::min(ranked_.size(), most_options_);
  const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(kept);
  if (last != ranked_.end()) std::nth_element(ranked_.begin(), last, ranked_.end(), Better{});
  for (std::size_t i = 0; i < kept; ++i) add_estimate(ranked_[i], gaps);
  if (kept == ranked_.size()) return;
  // Examines only those other options that could be better than one of these.
  float worst = ranked_.front().estimate;
  for (std::size_t i = 1; i < kept; ++i) worst = std::min(worst, ranked_[i].estimate);
  const auto is_worse = [&](const Ranked& ranked) {
    return ranked.local + most_estimate(model_.rules.target(ranked.rule).size()) < worst;
  };
  ranked_.erase(std::remove_if(last, ranked_.end(), is_worse), ranked_.end());
  for (std::size_t i = kept; i < ranked_.size(); ++i) add_estimate(ranked_[i], gaps);
}

std::span<TargetOption> TargetOptions::best_ranked(Arena& arena) {
  const std::size_t kept = std::min(ranked_.size(), most_options_);
  const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(kept);
  if (last != ranked_.end()) std::nth_element(ranked_.begin(), last, ranked_.end(), Better{});
  std::sort(ranked_.begin(), last, Better{});
  auto* out = reinterpret_cast<TargetOption*>(arena.take(kept * sizeof(TargetOption)));
  for (std::size_t i = 0; i < kept; ++i) {
    const auto& [estimate, local, rule, prepared] = ranked_[i];
    new (out + i) TargetOption(estimate, local, rule, edge_side(rule, arena), prepared);
  }
  return {out, kept};
}

void TargetOptions::fill(std::uint32_t side, List& list) {
  const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->target_sides);
  score_reachable(side, rules_of(side));
  const std::span<TargetOption> best = best_ranked(arena_);
  list = {best.data(), narrow<std::uint32_t>(best.size()), epoch_};
}

TargetOption& TargetOptions::single(RuleId rule, Arena& arena) {
  const auto local = as_score(model_.local_score(rule));
  Ranked ranked{local, local, rule, nullptr};
  add_estimate(ranked, 0);
  return *new (arena.take(sizeof(TargetOption)))
      TargetOption(ranked.estimate, local, rule, edge_side(rule, arena), nullptr);
}

TargetOption& TargetOptions::special(const Sentence& sentence, Join join, std::span<const std::int32_t> symbols,
                                     Arena& arena) {
  static constexpr SpecialRule rule_of[] = {SpecialRule::count, SpecialRule::unknown, SpecialRule::glue,
                                            SpecialRule::begin, SpecialRule::end};
  const RuleId rule = model_.special(rule_of[static_cast<std::size_t>(join)]);
  const TargetSide side{symbols, model_.target_vocabulary(), join};
  const auto local = as_score(model_.local_score(rule));
  return *new (arena.take(sizeof(TargetOption)))
      TargetOption(local + estimate(sentence, side), local, rule, side, prepared(sentence, rule, side, arena));
}

}  // namespace tunesmith
