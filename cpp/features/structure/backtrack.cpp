#include "features/structure/backtrack.hpp"

#include <algorithm>
#include <new>

#include "base/hash.hpp"
#include "base/interned.hpp"

namespace tunesmith {
namespace {

// A gap that is still open. The one that is taken up next is on top; under it are second gaps only, each of a rule
// that is an ancestor of what is on top.
enum Gap : std::uint32_t { only, first, second };

// Under: the gaps below. level: of the rule that will cover it, 1 for a part that glue appends. reached: of a
// second gap, the deepest level so far in the part that covers the first one.
struct OpenGap {
  std::uint32_t under, kind, level, reached;
};

class OpenGaps final : public SentenceMemory {
 public:
  std::uint32_t push(const OpenGap& gap) { return gaps_.number({gap.under, gap.kind, gap.level, gap.reached}); }
  OpenGap operator[](std::uint32_t number) const {
    const auto [under, kind, level, reached] = gaps_[number];
    return {under, kind, level, reached};
  }
  // The same gaps, where the part of the first gap has reached this level.
  std::uint32_t reach(std::uint32_t number, std::uint32_t level) {
    if (number == 0) return 0;
    OpenGap top = (*this)[number];
    top.reached = std::max(top.reached, level);
    return push(top);
  }

 private:
  Interned<4> gaps_;
};

}  // namespace

std::unique_ptr<SentenceMemory> Backtrack::start(const Sentence&) const {
  return std::make_unique<OpenGaps>();
}

bool Backtrack::equal(const std::byte* a, const std::byte* b) const {
  const State &one = state_of(a), &two = state_of(b);
  return one.height_or_open == two.height_or_open && one.width == two.width;
}

std::uint64_t Backtrack::hash(const std::byte* state) const {
  return mix(state_of(state).height_or_open, state_of(state).width);
}

Backtrack::State Backtrack::join_parts(const Combination& edge, Left& left) {
  std::uint32_t gaps = 0, height = 0;
  Left first_part;
  for (const std::int32_t symbol : edge.side.symbols) {
    if (symbol >= 0) continue;
    const State& part = state_of(edge.tails[-1 - symbol]);
    if (gaps++ == 0) first_part = {part.height_or_open, part.width};
    height = std::max(height, part.height_or_open);
  }
  if (gaps == 2) left = first_part;
  return {height + 1, static_cast<std::uint32_t>(edge.application.end - edge.application.begin)};
}

Backtrack::State Backtrack::take_gap(const Combination& edge, Left& left) const {
  auto& gaps = *static_cast<OpenGaps*>(edge.memory);
  std::uint32_t open = state_of(edge.tails[0]).height_or_open, level = 1;
  if (open != 0) {
    const OpenGap top = gaps[open];
    level = top.level;
    open = top.under;
    if (top.kind == first) left.width = edge.application.end - edge.application.begin;
    if (top.kind == second) {
      left.height = top.reached - level + 1;
      open = gaps.reach(open, top.reached);
    }
  }
  std::uint32_t count = 0;
  if (edge.application.rule < rules_.rules())
    count = static_cast<std::uint32_t>(std::ranges::count_if(rules_.target(edge.application.rule), is_gap));
  if (count == 0) return {gaps.reach(open, level), 0};
  if (count == 2) open = gaps.push({open, second, level + 1, 0});
  return {gaps.push({open, count == 2 ? first : only, level + 1, 0}), 0};
}

float Backtrack::score(const Combination& edge, std::byte* state, float* dense) const {
  Left left;
  State next{0, 0};
  if (edge.side.join == Join::rule || edge.side.join == Join::unknown)
    next = appends_ ? take_gap(edge, left) : join_parts(edge, left);
  new (state) State(next);
  dense[0] = static_cast<float>(left.height);
  dense[1] = static_cast<float>(left.width);
  return static_cast<float>(weights_[0] * left.height + weights_[1] * left.width);
}

void Backtrack::set_weights(std::span<const double> weights) {
  for (std::size_t i = 0; i < ids_.size(); ++i) weights_[i] = ids_[i] < weights.size() ? weights[ids_[i]] : 0.0;
}

constinit const FeatureKind backtrack_kind{
    "backtrack", [](Growth growth) { return growth != Growth::by_coverage; },
    [](const FeatureInputs& inputs) -> SearchFeature {
      return std::make_shared<Backtrack>(
          inputs.rules, std::array{inputs.number(inputs.name + ":height"), inputs.number(inputs.name + ":width")},
          appends(inputs.growth));
    }};

}  // namespace tunesmith
