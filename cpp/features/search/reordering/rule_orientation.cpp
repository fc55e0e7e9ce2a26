#include "features/search/reordering/rule_orientation.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/number_table.hpp"
#include "features/search/given_classes.hpp"

namespace tunesmith {
namespace {

constexpr std::string_view directions[] = {"previous-", "next-"};
constexpr std::string_view sentence_begin = "<s>";

}  // namespace

RuleOrientation::RuleOrientation(std::string name, std::unique_ptr<const RuleStrings> strings,
                                 std::span<const std::string> orientations, OrientationState state)
    : name_(std::move(name)),
      strings_(std::move(strings)),
      names_(orientations.begin(), orientations.end()),
      state_(state),
      row_of_(strings_->size() + 1, RuleStrings::none) {
  if (names_.size() > most_names) throw Error(name_ + " takes at most four orientations");
  for (std::uint32_t column = 0; column < names_.size(); ++column) {
    const OrientationName* const found = find_orientation(names_[column]);
    if (found == nullptr) throw Error(name_ + ": the orientation " + names_[column] + " is not known");
    for (std::size_t at = 0; at < orientation_count; ++at)
      if (found->holds[at]) columns_[at].push_back(column);
  }
}

double RuleOrientation::weight(std::uint32_t string, Direction direction, Orientation orientation) const {
  if (string == RuleStrings::none) return 0;
  const std::uint32_t row = row_of_[string];
  if (row == RuleStrings::none) return 0;
  double sum = 0;
  for (const std::uint32_t column : columns_[static_cast<std::size_t>(orientation)]) {
    const std::uint32_t id = rows_[row][direction * most_names + column];
    if (id < weights_.size()) sum += weights_[id];
  }
  return sum;
}

bool RuleOrientation::has_weight_towards_next(std::uint32_t string) const {
  if (string == RuleStrings::none || row_of_[string] == RuleStrings::none) return false;
  const Row& row = rows_[row_of_[string]];
  return std::any_of(row.begin() + next * most_names, row.end(),
                     [&](std::uint32_t id) { return id < weights_.size() && weights_[id] != 0; });
}

void RuleOrientation::prepare(const Sentence&, RuleId rule, const TargetSide& side, SentenceMemory*,
                              std::byte* prepared) const {
  auto& made = *new (prepared) Prepared;
  const bool phrase = side.join == Join::rule || side.join == Join::unknown;
  made.string = phrase ? strings_->of(rule) : side.join == Join::begin ? begin_string() : RuleStrings::none;
  for (std::size_t at = 0; at < orientation_count; ++at) {
    made.previous[at] = phrase ? weight(made.string, previous, static_cast<Orientation>(at)) : 0;
    made.next[at] = weight(made.string, next, static_cast<Orientation>(at));
  }
  const bool alike = state_ == OrientationState::weighted && !has_weight_towards_next(made.string);
  made.compared = alike ? RuleStrings::none : made.string;
}

RuleOrientation::Last RuleOrientation::made(const Combination& edge) const {
  if (edge.side.join == Join::end) return {nullptr, 0, 0, RuleStrings::none};  // nothing comes after it
  const Prepared& rule = prepared_of(edge);
  if (!is_phrase(edge)) return {&rule, 0, 0, rule.compared};
  const bool printed = state_ == OrientationState::printed;
  return {&rule, edge.application.begin, edge.application.end,
          printed ? static_cast<std::uint32_t>(orientation_of(edge)) : rule.compared};
}

bool RuleOrientation::equal(const std::byte* a, const std::byte* b) const {
  const Last &left = last(a), &right = last(b);
  if (left.compared != right.compared) return false;
  return state_ == OrientationState::printed || (left.begin == right.begin && left.end == right.end);
}

std::uint64_t RuleOrientation::hash(const std::byte* state) const {
  const Last& at = last(state);
  if (state_ == OrientationState::printed) return at.compared;
  return mix(static_cast<std::uint64_t>(at.begin) << 16 | at.end, at.compared);
}

float RuleOrientation::place_score(const Combination& edge) const {
  if (!is_phrase(edge)) return 0;
  const auto found = static_cast<std::size_t>(orientation_of(edge));
  return static_cast<float>(prepared_of(edge).previous[found] + last(edge.tails[0]).rule->next[found]);
}

float RuleOrientation::score(const Combination& edge, std::byte* state, float*) const {
  new (state) Last(made(edge));
  return place_score(edge);
}

void RuleOrientation::list(const Combination& edge, SparseValues& out) const {
  if (!is_phrase(edge)) return;
  const std::uint32_t strings[] = {prepared_of(edge).string, last(edge.tails[0]).rule->string};
  for (std::uint32_t direction = previous; direction <= next; ++direction)
    if (strings[direction] != RuleStrings::none)
      for (const std::uint32_t column : columns_[static_cast<std::size_t>(orientation_of(edge))])
        out.add(key_of(strings[direction], direction * most_names + column), 1.0f);
}

std::string RuleOrientation::detail(std::uint64_t key) const {
  const auto string = static_cast<std::uint32_t>(key / (2 * most_names));
  const std::size_t column = key % (2 * most_names);
  return std::string(directions[column / most_names]) + names_[column % most_names] + '|' +
         (string == begin_string() ? std::string(sentence_begin) : strings_->name(string));
}

std::optional<std::uint64_t> RuleOrientation::key(std::string_view detail) const {
  for (std::uint32_t direction = previous; direction <= next; ++direction)
    for (std::uint32_t column = 0; column < names_.size(); ++column) {
      const std::string prefix = std::string(directions[direction]) + names_[column] + '|';
      if (!detail.starts_with(prefix)) continue;
      const std::string_view rest = detail.substr(prefix.size());
      if (rest == sentence_begin) {
        if (direction == previous) return std::nullopt;
        return key_of(begin_string(), direction * most_names + column);
      }
      const std::optional<std::uint32_t> string = strings_->find(rest);
      return string ? std::optional(key_of(*string, direction * most_names + column)) : std::nullopt;
    }
  return std::nullopt;
}

void RuleOrientation::number(std::uint64_t key, std::uint32_t id) {
  std::uint32_t& row = row_of_[key / (2 * most_names)];
  if (row == RuleStrings::none) {
    row = narrow<std::uint32_t>(rows_.size());
    rows_.emplace_back().fill(NumberTable::none);
  }
  rows_[row][key % (2 * most_names)] = id;
}

std::uint32_t RuleOrientation::find_number(std::uint64_t key) const {
  const std::uint32_t row = row_of_[key / (2 * most_names)];
  return row == RuleStrings::none ? NumberTable::none : rows_[row][key % (2 * most_names)];
}

namespace {

bool serves(Growth growth) {
  return growth == Growth::by_coverage;
}

OrientationState state_of(const FeatureInputs& inputs) {
  const auto& state = inputs.get<std::string>("state");
  if (state == "exact") return OrientationState::exact;
  if (state == "weighted") return OrientationState::weighted;
  if (state == "printed") return OrientationState::printed;
  throw Error(inputs.name + ": state must be exact, weighted or printed, got " + state);
}

SearchFeature make_orientation(const FeatureInputs& inputs, std::unique_ptr<const RuleStrings> strings) {
  return std::make_shared<RuleOrientation>(inputs.name, std::move(strings),
                                           inputs.get<std::vector<std::string>>("orientations"), state_of(inputs));
}

SideClasses side_classes(const FeatureInputs& inputs, std::string_view side, const Vocabulary& words) {
  GivenClasses given = read_classes(inputs, std::string(side) + "_", words);
  return {WordLabels(std::move(given.names), std::move(given.numbers)), given.unknown};
}

}  // namespace

constinit const FeatureKind lexical_orientation_kind{
    "lexical_orientation", serves, [](const FeatureInputs& inputs) -> SearchFeature {
      const auto more_than = narrow<std::uint32_t>(inputs.get<std::int64_t>("more_than"));
      return make_orientation(inputs, std::make_unique<WordStrings>(inputs.rules, more_than));
    }};

constinit const FeatureKind class_orientation_kind{
    "class_orientation", serves, [](const FeatureInputs& inputs) -> SearchFeature {
      const RuleArrays& rules = inputs.rules;
      return make_orientation(
          inputs, std::make_unique<ClassStrings>(rules, side_classes(inputs, "source", *rules.source_words),
                                                 side_classes(inputs, "target", *rules.target_words)));
    }};

}  // namespace tunesmith
