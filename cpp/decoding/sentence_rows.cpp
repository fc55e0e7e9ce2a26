#include "decoding/sentence_rows.hpp"

namespace tunesmith {

float SentenceRows::sum(const Application& application, const TargetOption& option) {
  float total = 0;
  if (profile_ == nullptr || scored_++ % SearchProfile::every != 0) {
    for (const auto& values : values_) total += values->score({application, option.side});
    return total;
  }
  profile_->features.resize(across_ + values_.size());
  SampleWatch watch;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    total += values_[i]->score({application, option.side});
    profile_->features[across_ + i] += watch.lap();
  }
  return total;
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
