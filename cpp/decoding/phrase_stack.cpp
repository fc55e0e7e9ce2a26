#include "decoding/phrase_stack.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"

namespace tunesmith {

void PhraseStack::start(Chart& chart, std::size_t expected) {
  chart_ = &chart;
  begin_ = static_cast<HypothesisId>(chart.hypotheses.size());
  places_.clear();
  if (slots_.size() < 2 * expected) slots_.resize(std::bit_ceil(2 * expected));
  if (slots_.empty()) slots_.resize(16);
  if (++generation_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
}

void PhraseStack::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.generation != generation_) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].generation == generation_) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::uint32_t PhraseStack::append(const ChartEdge& edge, const float* dense) {
  const auto number = static_cast<std::uint32_t>(chart_->edges.size());
  *chart_->edges.append() = edge;
  std::copy(dense, dense + chart_->dense_count(), chart_->dense.append());
  return number;
}

bool PhraseStack::add(const ChartEdge& edge, const float* dense, const std::byte* state, CoverageId coverage,
                      float future) {
  std::vector<Hypothesis>& hypotheses = chart_->hypotheses;
  const std::uint64_t hash = mix(scorer_.hash(state), static_cast<std::uint64_t>(coverage) << 16 | edge.end());
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].generation == generation_; at = (at + 1) & mask) {
    if (slots_[at].hash != hash) continue;
    Hypothesis& found = hypotheses[slots_[at].hypothesis];
    const Place& place = places_[slots_[at].hypothesis - begin_];
    if (place.coverage != coverage || place.last_end != edge.end() || !scorer_.equal(found.state, state)) continue;
    const bool better = edge.score > found.score;
    if (chart_->keeps_all()) {
      const std::uint32_t number = append(edge, dense);
      if (better) {
        chart_->edges[number]->next = found.edge;
        found.edge = number;
      } else {
        chart_->edges[number]->next = chart_->edges[found.edge]->next;
        chart_->edges[found.edge]->next = number;
      }
    } else if (better) {
      *chart_->edges[found.edge] = edge;
      std::copy(dense, dense + chart_->dense_count(), chart_->dense[found.edge]);
    }
    if (better) found.score = edge.score;
    return false;
  }
  slots_[at] = {hash, static_cast<HypothesisId>(hypotheses.size()), generation_};
  hypotheses.push_back({edge.score, append(edge, dense), state});
  places_.push_back({coverage, edge.end(), future});
  if (2 * places_.size() > slots_.size()) grow();
  return true;
}

void PhraseStack::finish(std::size_t limit, std::vector<PhraseGroup>& groups) {
  const std::span<Hypothesis> found(chart_->hypotheses.data() + begin_, places_.size());
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
    const Place &left = places_[a.number], &right = places_[b.number];
    if (left.coverage != right.coverage) return left.coverage < right.coverage;
    if (left.last_end != right.last_end) return left.last_end < right.last_end;
    if (found[a.number].score != found[b.number].score) return found[a.number].score > found[b.number].score;
    return a.number < b.number;
  });
  sorted_.clear();
  for (const Ranked& ranked : ranked_) sorted_.push_back(found[ranked.number]);
  std::copy(sorted_.begin(), sorted_.end(), found.begin());

  const auto kept = static_cast<std::uint32_t>(last - ranked_.begin());
  for (std::uint32_t i = 0; i < kept; ++i) {
    const Place& place = places_[ranked_[i].number];
    const HypothesisId id = begin_ + i;
    if (i == 0 || groups.back().coverage != place.coverage || groups.back().last_end != place.last_end)
      groups.push_back({place.coverage, place.last_end, {id, id}});
    groups.back().hypotheses.end = id + 1;
  }
}

}  // namespace tunesmith
