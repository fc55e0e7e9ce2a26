#include "decoding/sentence_rows.hpp"

#include <cmath>
#include <utility>

namespace tunesmith {
namespace {

// What is kept of a feature, or else what it starts with.
template <class Feature, class Memory>
void begin(const Feature& feature, const Sentence& sentence, std::unique_ptr<Memory>& memory) {
  if (memory == nullptr)
    memory = feature.start(sentence);
  else
    memory->begin(sentence);
}

template <class Memory>
void forget_what_ends(std::vector<std::unique_ptr<Memory>>& memories) {
  for (auto& memory : memories)
    if (memory != nullptr && !memory->lasts()) memory.reset();
}

}  // namespace

SentenceRows::SentenceRows(const DecoderModel& model, const Sentence& sentence, KeptMemories& kept,
                           const OwnPair* left_out, SearchProfile* profile)
    : sentence_(sentence), kept_(kept), left_out_(left_out), profile_(profile), across_(model.features.size()) {
  if (kept.epoch == model.epoch) {
    memories_ = std::move(kept.across);
    values_ = std::move(kept.of_spans);
  }
  kept = {model.epoch, {}, {}};
  memories_.resize(model.features.size());
  values_.resize(model.span_features.size());
  for (std::size_t i = 0; i < memories_.size(); ++i) begin(*model.features[i], sentence, memories_[i]);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    begin(*model.span_features[i], sentence, values_[i]);
    of_sentence_.push_back(model.span_features[i]->of_sentence());
    of_rule_.push_back(model.span_features[i]->of_rule());
    ranks_ |= of_sentence_.back();
    places_ |= !of_sentence_.back();
  }
}

SentenceRows::~SentenceRows() {
  forget_what_ends(memories_);
  forget_what_ends(values_);
  kept_.across = std::move(memories_);
  kept_.of_spans = std::move(values_);
}

float SentenceRows::sum(const Application& application, const TargetOption& option) {
  float total = 0, of_rule = 0;
  const bool known = !std::isnan(option.of_rule);
  const auto is_known = [&](std::size_t i) { return of_rule_[i] ? known : option.of_sentence && of_sentence_[i]; };
  const auto add = [&](std::size_t i) {
    (of_rule_[i] ? of_rule : total) += values_[i]->score({application, option.side});
  };
  if (profile_ == nullptr || scored_++ % SearchProfile::every != 0) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!is_known(i)) add(i);
  } else {
    profile_->features.resize(across_ + values_.size());
    SampleWatch watch;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (is_known(i)) continue;
      add(i);
      profile_->features[across_ + i] += watch.lap();
    }
  }
  if (!known) option.of_rule = of_rule;
  return total + option.of_rule;
}

void SentenceRows::add_of_sentence(std::span<TargetOption> options) {
  if (profile_ != nullptr) profile_->features.resize(across_ + values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!of_sentence_[i]) continue;
    const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->features[across_ + i]);
    for (TargetOption& option : options) {
      const float more = values_[i]->score({{option.rule, 0, 0}, option.side});
      option.estimate += more;
      option.local += more;
    }
  }
  for (TargetOption& option : options) option.of_sentence = true;
}

void SentenceRows::place(std::size_t begin, std::size_t end, std::span<const TargetOption> options) {
  if (!options.empty() && !seen_.insert(options.data()).second) return;
  for (const TargetOption& option : options)
    placed_.push_back(
        {{option.rule, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)}, option.side});
}

void SentenceRows::open_placed() {
  if (profile_ != nullptr) profile_->features.resize(across_ + values_.size());
  if (!placed_.empty())
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Stopwatch watch(profile_ == nullptr ? nullptr : &profile_->features[across_ + i]);
      values_[i]->open(placed_);
    }
  placed_.clear();
  seen_.clear();
}

void SentenceRows::list_columns(const TargetOption& option, SparseValues& out) const {
  if (option.change == nullptr) return;
  const std::array<std::uint32_t, 2>& columns = left_out_->all().columns;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != LeaveOneOut::no_column && (*option.change)[i] != 0) out.add(columns[i], (*option.change)[i]);
}

}  // namespace tunesmith
