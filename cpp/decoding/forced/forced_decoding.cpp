#include "decoding/forced/forced_decoding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;
constexpr std::size_t most_words = 0xFFFF;  // so that a coverage, a last end and a stack are one key

void check_offsets(std::span<const std::uint64_t> offsets, std::size_t size, std::uint64_t last,
                   const char* what) {
  if (offsets.size() != size + 1 || offsets.front() != 0 || offsets.back() != last ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw Error(std::string(what) + " must rise from 0 to " + std::to_string(last));
}

std::uint64_t key_of(CoverageId coverage, std::uint32_t last_end, std::uint32_t stack) {
  return std::uint64_t{coverage} << 32 | std::uint64_t{last_end} << 16 | stack;
}

}  // namespace

void ForcedTable::check() const {
  const std::size_t rules = local.size();
  if (arrays.source_offsets.empty()) throw Error("source_offsets must begin with 0");
  const std::size_t sides = arrays.source_offsets.size() - 1;
  check_offsets(arrays.source_offsets, sides, arrays.source_symbols.size(), "source_offsets");
  check_offsets(arrays.source_rules, sides, rules, "source_rules");
  check_offsets(arrays.target_offsets, rules, arrays.target_symbols.size(), "target_offsets");
  if (arrays.scores.size() != rules * score_columns || std::ranges::max(relative) >= score_columns)
    throw Error("a phrase table for forced decoding has the scores p(e|f) and p(f|e)");
  for (const double score : local)
    if (!std::isfinite(score)) throw Error("local scores must be finite");
}

ForcedDecoding::ForcedDecoding(const ForcedTable& table, const LeaveOneOut* left_out, const ForcedOptions& options)
    : table_(table),
      left_out_(left_out),
      options_(options),
      sides_(table.arrays.source_symbols, table.arrays.source_offsets) {
  options_.distortion_limit = std::min(options_.distortion_limit, CoverageSet::longest_reach);
}

// What the score of an own phrase pair changes by: its relative frequencies are those of its length.
double ForcedDecoding::own_change(RuleId rule, std::uint32_t source_words) const {
  const auto target_words = table_.arrays.target_offsets[rule + 1] - table_.arrays.target_offsets[rule];
  const double length = static_cast<double>(source_words + target_words);
  double change = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const double p = table_.arrays.scores[rule * table_.score_columns + table_.relative[i]];
    const double known = std::log(std::max(p, static_cast<double>(std::numeric_limits<float>::min())));
    change += options_.weights[i] * (*options_.own * length - known);
  }
  return change;
}

void ForcedDecoding::add_rule(RuleId rule, double change, std::uint32_t begin, std::uint32_t end,
                              std::span<const WordId> target) {
  const std::uint64_t first = table_.arrays.target_offsets[rule], last = table_.arrays.target_offsets[rule + 1];
  if (first == last) return;
  const auto words = table_.arrays.target_symbols.subspan(first, last - first);
  const auto places = places_.find(words[0]);
  if (places == places_.end()) return;
  for (const std::uint32_t at : places->second) {
    if (words.size() > target.size() - at) break;
    if (!std::ranges::equal(words, target.subspan(at, words.size()))) continue;
    options_at_[at].push_back(narrow<std::uint32_t>(all_options_.size()));
    all_options_.push_back(
        {begin, end, at + narrow<std::uint32_t>(words.size()), rule, table_.local[rule] + change});
  }
}

void ForcedDecoding::add_side(std::uint32_t side, std::uint32_t begin, std::uint32_t end,
                              std::span<const WordId> target) {
  const auto first = narrow<RuleId>(table_.arrays.source_rules[side]);
  const auto last = narrow<RuleId>(table_.arrays.source_rules[side + 1]);
  if (left_out_ == nullptr) {
    for (RuleId rule = first; rule < last; ++rule) add_rule(rule, 0, begin, end, target);
    return;
  }
  own_.visit_all(
      side, first, last,
      [&](RuleId rule, const ScoreChange& change) {
        add_rule(rule, options_.weights[0] * change[0] + options_.weights[1] * change[1], begin, end, target);
      },
      [&](RuleId rule) {
        if (options_.own) add_rule(rule, own_change(rule, end - begin), begin, end, target);
      });
}

void ForcedDecoding::find_options(std::span<const WordId> source, std::span<const WordId> target,
                                  std::size_t pair) {
  all_options_.clear();
  options_at_.assign(target.size(), {});
  places_.clear();
  for (std::uint32_t at = 0; at < target.size(); ++at)
    if (target[at] > 2) places_[target[at]].push_back(at);
  if (left_out_ != nullptr) own_.start(*left_out_, pair);
  sides_.refresh();
  for (std::uint32_t begin = 0; begin < source.size(); ++begin) {
    SideLookup::Node node = SideLookup::root;
    const auto last = std::min<std::size_t>(source.size(), begin + options_.max_length);
    for (std::uint32_t end = begin + 1; end <= last; ++end) {
      const auto word = static_cast<std::uint32_t>(source[end - 1]);
      node = word > 2 ? sides_.child(node, word) : SideLookup::none;  // not the special words
      if (node == SideLookup::none) break;
      if (const std::uint32_t side = sides_.side(node); side != SideLookup::none)
        add_side(side, begin, end, target);
    }
  }
}

// As PhraseSearch: a phrase begins at the first gap, or ends so near after it that the search can come back.
bool ForcedDecoding::may_follow(const Hypothesis& hypothesis, const Option& option) const {
  const std::uint32_t gap = coverages_.gap(hypothesis.coverage);
  if (option.begin < gap) return false;
  if (option.begin != gap) {
    const std::uint32_t jump = option.begin > hypothesis.last_end ? option.begin - hypothesis.last_end
                                                                  : hypothesis.last_end - option.begin;
    if (option.end > gap + options_.distortion_limit || jump > options_.distortion_limit) return false;
  }
  for (std::uint32_t at = option.begin; at < option.end; ++at)
    if (coverages_.covers(hypothesis.coverage, at - gap)) return false;
  return true;
}

void ForcedDecoding::extend(std::uint32_t from, const Option& option, std::uint32_t number) {
  const Hypothesis before = hypotheses_[from];
  const std::uint32_t jump =
      option.begin > before.last_end ? option.begin - before.last_end : before.last_end - option.begin;
  const double score = before.score + option.score - options_.distortion_weight * jump;
  const CoverageId coverage = coverages_.extend(before.coverage, option.begin, option.end);
  const Hypothesis longer{score, coverage, option.end, from, number};
  const std::uint64_t key = key_of(coverage, option.end, option.to);
  const std::uint32_t known = recombined_.find(key);
  if (known == NumberTable::none) {
    recombined_.set(key, narrow<std::uint32_t>(hypotheses_.size()));
    stacks_[option.to].push_back(narrow<std::uint32_t>(hypotheses_.size()));
    hypotheses_.push_back(longer);
  } else if (score > hypotheses_[known].score) {
    hypotheses_[known] = longer;
  }
}

void ForcedDecoding::prune(std::vector<std::uint32_t>& stack) const {
  if (stack.size() <= options_.beam) return;
  std::ranges::stable_sort(stack, std::greater<>(), [&](std::uint32_t at) { return hypotheses_[at].score; });
  stack.resize(options_.beam);
}

ForcedDerivation ForcedDecoding::trace(std::uint32_t last) const {
  ForcedDerivation out{hypotheses_[last].score, {}};
  for (std::uint32_t at = last; hypotheses_[at].back != none; at = hypotheses_[at].back) {
    const Option& option = all_options_[hypotheses_[at].option];
    out.steps.push_back({option.rule, option.begin, option.end});
  }
  std::ranges::reverse(out.steps);
  return out;
}

ForcedDerivation ForcedDecoding::run(std::span<const WordId> source, std::span<const WordId> target,
                                     std::size_t pair) {
  if (std::max(source.size(), target.size()) > most_words)
    throw Error("a sentence has more than " + std::to_string(most_words) + " words");
  if (source.empty() || target.empty()) return {};
  find_options(source, target, pair);
  coverages_.reset(options_.distortion_limit);
  recombined_ = {};
  stacks_.assign(target.size() + 1, {});
  hypotheses_.assign(1, {0, 0, 0, none, none});
  stacks_[0].push_back(0);
  for (std::size_t words = 0; words < target.size(); ++words) {
    prune(stacks_[words]);
    for (const std::uint32_t from : stacks_[words])
      for (const std::uint32_t number : options_at_[words])
        if (const Option& option = all_options_[number]; may_follow(hypotheses_[from], option))
          extend(from, option, number);
  }
  std::uint32_t best = none;
  for (const std::uint32_t at : stacks_[target.size()])
    if (coverages_.gap(hypotheses_[at].coverage) == source.size() &&
        (best == none || hypotheses_[at].score > hypotheses_[best].score))
      best = at;
  return best == none ? ForcedDerivation{} : trace(best);
}

}  // namespace tunesmith
