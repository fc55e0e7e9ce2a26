// Scoring an edge with all features across rules, and joining hypotheses that look alike from outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/probe.hpp"
#include "decoding/chart/chart.hpp"
#include "decoding/search_profile.hpp"
#include "decoding/sentence_rows.hpp"

namespace tunesmith {

// The states of all features lie one after the other.
class EdgeScorer {
 public:
  explicit EdgeScorer(const DecoderModel& model);

  std::size_t state_bytes() const { return state_bytes_; }
  std::size_t dense_count() const { return dense_count_; }
  // What features across rules add to the local score and the scores of the tails. `profile`: null, or one edge of
  // many is timed, and stands for the others.
  float across(SentenceRows& rows, const Application& application, const TargetOption& option,
               const std::byte* const* tails, std::byte* state, float* dense, SearchProfile* profile,
               const CoveredWords* covered = nullptr) const;
  // The same with the rows of the sentence.
  float score(SentenceRows& rows, const Application& application, const TargetOption& option,
              const std::byte* const* tails, std::byte* state, float* dense, SearchProfile* profile) const {
    return across(rows, application, option, tails, state, dense, profile) + rows.score(application, option);
  }
  // The part of across() that is known from places and rules. What features prepare they find where the option is
  // prepared.
  float place_score(SentenceRows& rows, const Application& application, const TargetOption& option,
                    const std::byte* tail, const CoveredWords* covered) const {
    float total = 0;
    for (const auto& [feature, part] : places_) {
      const std::byte* own[2] = {tail + part.state, nullptr};
      const std::byte* const prepared = option.prepared == nullptr ? nullptr : option.prepared + part.prepared;
      total += feature->place_score({rows.sentence(), application, option.side, own, prepared, covered});
    }
    return total;
  }
  // Whether place_score() reads what features prepare.
  bool places_are_prepared() const { return places_are_prepared_; }
  // The sparse values of an edge, of each feature: first those across rules, then span features.
  void list(SentenceRows& rows, const Application& application, const TargetOption& option,
            const std::byte* const* tails, std::vector<SparseValues>& out) const;
  std::uint64_t hash(const std::byte* state) const {
    std::uint64_t hash = 0;
    for (const Part& part : parts_) hash = mix(hash, part.feature->hash(state + part.state));
    return hash;
  }
  bool equal(const std::byte* a, const std::byte* b) const {
    for (const Part& part : parts_)
      if (!part.feature->equal(a + part.state, b + part.state)) return false;
    return true;
  }

 private:
  struct Part {
    const StateFeature* feature;
    std::size_t state, prepared, dense;  // where its own begin
  };
  static const std::byte* state_of(const std::byte* tail, const Part& part) {
    return tail == nullptr ? nullptr : tail + part.state;
  }
  std::vector<Part> parts_;
  std::vector<const SparseFeature*> sparse_;  // the same features, null where they have no sparse values
  std::vector<std::pair<const ScoresPlaces*, Part>> places_;
  bool places_are_prepared_ = false;
  std::size_t state_bytes_ = 0, dense_count_ = 0;
};

// The hypotheses of one cell or stack while it is filled.
class Recombination {
 public:
  void start(Chart& chart, std::size_t expected);
  // Takes in a scored edge to a hypothesis of this hash; `alike(found, number)` says whether it is the one that
  // was found as number `number` since the start. `state` is the last piece taken from the chart's arena; whether
  // it is needed is returned.
  template <class Alike>
  bool add(const ChartEdge& edge, const float* dense, const std::byte* state, std::uint64_t hash, Alike alike) {
    const std::size_t at = probe(slots_, hash, [&](const Slot& slot) {
      return slot.generation != generation_ ||
             (slot.hash == hash && alike(chart_->hypotheses[slot.hypothesis], slot.hypothesis - begin_));
    });
    if (slots_[at].generation == generation_) {
      join(chart_->hypotheses[slots_[at].hypothesis], edge, dense);
      return false;
    }
    slots_[at] = {hash, narrow<HypothesisId>(chart_->hypotheses.size()), generation_};
    chart_->hypotheses.push_back({edge.score, append(edge, dense), state});
    if (2 * found().size() > slots_.size()) grow();
    return true;
  }
  HypothesisId begin() const { return begin_; }
  // All of them, in the order in which they were found.
  std::span<Hypothesis> found() const { return std::span(chart_->hypotheses).subspan(begin_); }
  // Sorts them, best first, and says where they are.
  Cell finish();

 private:
  struct Slot {
    std::uint64_t hash;
    HypothesisId hypothesis;
    std::uint32_t generation = 0;
  };
  void grow();
  std::uint32_t append(const ChartEdge& edge, const float* dense);
  // One more edge of a hypothesis; where one is enough, the better one stays.
  void join(Hypothesis& found, const ChartEdge& edge, const float* dense);

  Chart* chart_ = nullptr;
  HypothesisId begin_ = 0;
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
};

}  // namespace tunesmith
