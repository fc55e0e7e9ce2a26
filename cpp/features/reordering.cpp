#include "features/reordering.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace tunesmith {
namespace {

struct OrientationName {
  std::string_view name;
  std::array<bool, orientation_count> holds;
};

constexpr OrientationName names[] = {
    {"monotone", {true, false, false, false}},
    {"swap", {false, true, false, false}},
    {"discontinuous", {false, false, true, true}},
    {"discontinuous-left", {false, false, true, false}},
    {"discontinuous-right", {false, false, false, true}},
    {"non-monotone", {false, true, true, true}},
};

}  // namespace

LexicalReordering::LexicalReordering(std::span<const std::string> columns, std::vector<std::uint32_t> ids,
                                     std::span<const float> values, std::size_t rules)
    : ids_(std::move(ids)), values_(values), rules_(rules), width_(columns.size()), weights_(columns.size()) {
  if (ids_.size() != width_ || values_.size() != rules_ * width_)
    throw Error("reordering: " + std::to_string(values_.size()) + " values for " + std::to_string(rules_) +
                " rules with " + std::to_string(width_) + " columns");
  previous_.fill({none, none});
  next_.fill({none, none});
  for (std::uint32_t column = 0; column < width_; ++column) {
    const std::string_view text = columns[column];
    const std::size_t middle = text.find('-');
    const std::string_view direction = text.substr(0, middle);
    const std::string_view name = middle == std::string_view::npos ? "" : text.substr(middle + 1);
    const auto* const found =
        std::find_if(std::begin(names), std::end(names), [&](const auto& entry) { return entry.name == name; });
    if (found == std::end(names) || (direction != "previous" && direction != "next"))
      throw Error("reordering: the column " + columns[column] +
                  " is not known; such as previous-monotone or next-discontinuous was expected");
    for (std::size_t at = 0; at < orientation_count; ++at) {
      if (!found->holds[at]) continue;
      Columns& chosen = (direction == "previous" ? previous_ : next_)[at];
      if (chosen.back() != none)
        throw Error("reordering: " + columns[column] + " is the third column for the same orientation");
      chosen[chosen.front() == none ? 0 : 1] = column;
    }
    if (direction == "next") next_columns_.push_back(column);
  }
}

void LexicalReordering::refuse(RuleId rule) const {
  throw Error("reordering: a probability of rule " + std::to_string(rule) +
              " is not possible; the table is damaged");
}

void LexicalReordering::set_weights(std::span<const double> weights) {
  for (std::size_t i = 0; i < width_; ++i)
    weights_[i] = ids_[i] < weights.size() ? static_cast<float>(weights[ids_[i]]) : 0.0f;
}

// Phrases with equal probabilities towards what follows need not be told apart.
bool LexicalReordering::equal(const std::byte* a, const std::byte* b) const {
  const Last &left = last(a), &right = last(b);
  if (left.begin != right.begin || left.end != right.end) return false;
  if (left.rule == right.rule || next_columns_.empty()) return true;
  if (left.rule >= rules_ || right.rule >= rules_) return left.rule >= rules_ && right.rule >= rules_;
  const float* const first = values_.data() + left.rule * width_;
  const float* const second = values_.data() + right.rule * width_;
  return std::all_of(next_columns_.begin(), next_columns_.end(),
                     [&](std::uint32_t column) { return first[column] == second[column]; });
}

std::uint64_t LexicalReordering::hash(const std::byte* state) const {
  const Last& at = last(state);
  std::uint64_t hash = static_cast<std::uint64_t>(at.begin) << 16 | at.end;
  if (at.rule >= rules_) return hash;
  const float* const row = values_.data() + at.rule * width_;
  // + 0.0f: equal values have equal bits.
  for (const std::uint32_t column : next_columns_)
    hash = mix(hash, std::bit_cast<std::uint32_t>(row[column] + 0.0f));
  return hash;
}

float LexicalReordering::place_score(const Combination& edge) const {
  float sum = 0;
  visit_columns(edge, [&](std::uint32_t column, float value) { sum += weights_[column] * value; });
  return sum;
}

float LexicalReordering::score(const Combination& edge, std::byte* state, float* dense) const {
  std::fill(dense, dense + width_, 0.0f);
  float sum = 0;
  visit_columns(edge, [&](std::uint32_t column, float value) {
    dense[column] = value;
    sum += weights_[column] * value;
  });
  const bool phrase = edge.side.join == Join::rule || edge.side.join == Join::unknown;
  if (phrase)
    new (state) Last{edge.application.begin, edge.application.end, edge.application.rule};
  else
    new (state) Last{0, 0, none};
  return sum;
}

}  // namespace tunesmith
