#include "features/search/reordering/reordering.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"

namespace tunesmith {

LexicalReordering::LexicalReordering(std::span<const std::string> columns, std::vector<std::uint32_t> ids,
                                     std::span<const float> values, std::size_t rules, Neighbour neighbour)
    : ids_(std::move(ids)),
      values_(values),
      rules_(rules),
      width_(columns.size()),
      neighbour_(neighbour),
      weights_(columns.size()) {
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
    const OrientationName* const found = find_orientation(name);
    if (found == nullptr || (direction != "previous" && direction != "next"))
      throw Error("reordering: the column " + columns[column] +
                  " is not known; expected one such as previous-monotone or next-discontinuous");
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

// Phrases with equal probabilities towards what follows need not be distinguished.
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

LexicalReordering::Last LexicalReordering::made(const Combination& edge) const {
  const auto words = narrow<std::uint16_t>(edge.sentence.size());
  if (!is_phrase(edge)) return {0, 0, none, 0, words};
  const Application& at = edge.application;
  Last out{at.begin, at.end, at.rule, at.begin, at.end};
  if (neighbour_ == Neighbour::phrase || edge.covered == nullptr) return out;
  while (out.free_begin > 0 && !(*edge.covered)[out.free_begin - 1u]) --out.free_begin;
  while (out.free_end < words && !(*edge.covered)[out.free_end]) ++out.free_end;
  return out;
}

Orientation LexicalReordering::towards_previous(const Last& before, const Combination& edge) const {
  const std::uint32_t begin = edge.application.begin, end = edge.application.end;
  const auto all_covered = [&](std::uint32_t from, std::uint32_t to) {
    while (from < to && edge.covered != nullptr && (*edge.covered)[from]) ++from;
    return from == to;
  };
  if (begin >= before.end)
    return all_covered(before.end, begin) ? Orientation::monotone : Orientation::discontinuous_right;
  return all_covered(end, before.begin) ? Orientation::swap : Orientation::discontinuous_left;
}

// The phrase is within the free words next to the last one, or beyond them.
Orientation LexicalReordering::towards_next(const Last& before, const Combination& edge) const {
  if (edge.application.begin >= before.end)
    return edge.application.begin < before.free_end ? Orientation::monotone : Orientation::discontinuous_right;
  return edge.application.end > before.free_begin ? Orientation::swap : Orientation::discontinuous_left;
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
  new (state) Last(made(edge));
  return sum;
}

constinit const FeatureKind reordering_kind{
    "reordering", [](Growth growth) { return growth == Growth::by_coverage; },
    [](const FeatureInputs& inputs) -> SearchFeature {
      const auto& columns = inputs.get<std::vector<std::string>>("columns");
      std::vector<std::uint32_t> ids;
      for (const std::string& column : columns) ids.push_back(inputs.number(inputs.name + ":" + column));
      return std::make_shared<LexicalReordering>(
          columns, std::move(ids), inputs.get<std::span<const float>>("values"), inputs.rules.rules(),
          inputs.get<bool>("blocks") ? Neighbour::block : Neighbour::phrase);
    }};

}  // namespace tunesmith
