#include "decoding/sentence_rows.hpp"

namespace tunesmith {

float SentenceRows::sum(const Application& application, const TargetOption& option) {
  float total = 0;
  const auto scored = [&](std::size_t i) { return option.of_sentence && of_sentence_[i]; };
  if (profile_ == nullptr || scored_++ % SearchProfile::every != 0) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!scored(i)) total += values_[i]->score({application, option.side});
    return total;
  }
  profile_->features.resize(across_ + values_.size());
  SampleWatch watch;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (scored(i)) continue;
    total += values_[i]->score({application, option.side});
    profile_->features[across_ + i] += watch.lap();
  }
  return total;
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
