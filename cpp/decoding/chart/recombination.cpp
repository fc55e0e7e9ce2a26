#include "decoding/chart/recombination.hpp"

#include <algorithm>
#include <bit>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + 7) & ~std::size_t{7};
}

}  // namespace

EdgeScorer::EdgeScorer(const DecoderModel& model) {
  std::size_t prepared = 0;
  for (const auto& feature : model.features) {
    parts_.push_back({feature.get(), state_bytes_, prepared, dense_count_});
    sparse_.push_back(dynamic_cast<const SparseFeature*>(feature.get()));
    if (const auto* const places = dynamic_cast<const ScoresPlaces*>(feature.get()))
      places_.emplace_back(places, parts_.back());
    if (const auto* const preparing = dynamic_cast<const PreparesSides*>(feature.get())) {
      prepared += aligned(preparing->prepared_bytes());
      places_are_prepared_ |= dynamic_cast<const ScoresPlaces*>(feature.get()) != nullptr;
    }
    state_bytes_ += aligned(feature->state_bytes());
    dense_count_ += feature->dense_ids().size();
  }
}

float EdgeScorer::across(SentenceRows& rows, const Application& application, const TargetOption& option,
                         const std::byte* const* tails, std::byte* state, float* dense, SearchProfile* profile,
                         const CoveredWords* covered) const {
  float total = 0;
  const auto score = [&](std::size_t i) {
    const Part& part = parts_[i];
    const std::byte* own[2] = {state_of(tails[0], part), state_of(tails[1], part)};
    total += part.feature->score(
        {rows.sentence(), application, option.side, own, option.prepared + part.prepared, covered, rows.memory(i)},
        state + part.state, dense + part.dense);
  };
  if (profile == nullptr || profile->edges++ % SearchProfile::every != 0) {
    for (std::size_t i = 0; i < parts_.size(); ++i) score(i);
    return total;
  }
  profile->features.resize(std::max(profile->features.size(), parts_.size()));
  SampleWatch watch;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    score(i);
    profile->features[i] += watch.lap();
  }
  return total;
}

void EdgeScorer::list(SentenceRows& rows, const Application& application, const TargetOption& option,
                      const std::byte* const* tails, std::vector<SparseValues>& out) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const std::byte* own[2] = {state_of(tails[0], part), state_of(tails[1], part)};
    if (sparse_[i] != nullptr)
      sparse_[i]->list({rows.sentence(), application, option.side, own, option.prepared + part.prepared, nullptr,
                        rows.memory(i)},
                       out[i]);
  }
  for (std::size_t i = 0; i < rows.features(); ++i) rows.list(i, application, option, out[parts_.size() + i]);
}

void Recombination::start(Chart& chart, std::size_t expected) {
  chart_ = &chart;
  begin_ = narrow<HypothesisId>(chart.hypotheses.size());
  if (slots_.size() < 2 * std::min<std::size_t>(expected, 1024)) slots_.resize(std::bit_ceil(2 * expected));
  if (slots_.empty()) slots_.resize(16);
  if (++generation_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
}

void Recombination::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const auto is_free = [&](const Slot& slot) { return slot.generation != generation_; };
  for (const Slot& slot : old)
    if (!is_free(slot)) slots_[probe(slots_, slot.hash, is_free)] = slot;
}

std::uint32_t Recombination::append(const ChartEdge& edge, const float* dense) {
  const auto number = narrow<std::uint32_t>(chart_->edges.size());
  *chart_->edges.append() = edge;
  std::copy(dense, dense + chart_->dense_count(), chart_->dense.append());
  return number;
}

void Recombination::join(Hypothesis& found, const ChartEdge& edge, const float* dense) {
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
}

Cell Recombination::finish() {
  std::vector<Hypothesis>& hypotheses = chart_->hypotheses;
  // Equal scores: the one found first.
  std::sort(hypotheses.begin() + begin_, hypotheses.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.score != b.score ? a.score > b.score : a.edge < b.edge;
  });
  return {begin_, narrow<HypothesisId>(hypotheses.size())};
}

}  // namespace tunesmith
