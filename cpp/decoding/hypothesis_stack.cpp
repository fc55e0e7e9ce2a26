#include "decoding/hypothesis_stack.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace tunesmith {

void HypothesisStack::start(Chart& chart, std::size_t expected) {
  recombination_.start(chart, expected);
  places_.clear();
}

bool HypothesisStack::add(const ChartEdge& edge, const float* dense, const std::byte* state, std::uint64_t key,
                          float future) {
  const std::uint64_t hash = mix(scorer_.hash(state), key);
  const bool is_new =
      recombination_.add(edge, dense, state, hash, [&](const Hypothesis& found, std::uint32_t number) {
        return places_[number].key == key && scorer_.equal(found.state, state);
      });
  if (is_new) places_.push_back({key, future});
  return is_new;
}

void HypothesisStack::finish(std::size_t limit, std::vector<HypothesisGroup>& groups) {
  const std::span<Hypothesis> found = recombination_.found();
  ranked_.clear();
  for (std::uint32_t i = 0; i < found.size(); ++i) ranked_.push_back({found[i].score + places_[i].future, i});
  auto last = ranked_.end();
  if (ranked_.size() > limit) {
    last = ranked_.begin() + static_cast<std::ptrdiff_t>(limit);
    std::nth_element(ranked_.begin(), last, ranked_.end(), [](const Ranked& a, const Ranked& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.number < b.number;
    });
  }
  std::sort(ranked_.begin(), last, [&](const Ranked& a, const Ranked& b) {
    const std::uint64_t left = places_[a.number].key, right = places_[b.number].key;
    if (left != right) return left < right;
    if (found[a.number].score != found[b.number].score) return found[a.number].score > found[b.number].score;
    return a.number < b.number;
  });
  sorted_.clear();
  for (const Ranked& ranked : ranked_) sorted_.push_back(found[ranked.number]);
  std::copy(sorted_.begin(), sorted_.end(), found.begin());

  const auto kept = static_cast<std::uint32_t>(last - ranked_.begin());
  for (std::uint32_t i = 0; i < kept; ++i) {
    const std::uint64_t key = places_[ranked_[i].number].key;
    const HypothesisId id = recombination_.begin() + i;
    if (i == 0 || groups.back().key != key) groups.push_back({key, {id, id}});
    groups.back().hypotheses.end = id + 1;
  }
}

}  // namespace tunesmith
