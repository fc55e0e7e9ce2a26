#include "decoding/sentence_rows.hpp"

namespace tunesmith {

void SentenceRows::open_all(std::size_t begin, std::size_t end, std::span<const TargetOption> options) {
  placed_.clear();
  for (const TargetOption& option : options)
    placed_.push_back(
        {{option.rule, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)}, option.side});
  for (const auto& values : values_) values->open(placed_);
}

void SentenceRows::list_columns(const TargetOption& option, SparseValues& out) const {
  if (option.change == nullptr) return;
  const std::array<std::uint32_t, 2>& columns = left_out_->all().columns;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != LeaveOneOut::no_column && (*option.change)[i] != 0) out.add(columns[i], (*option.change)[i]);
}

}  // namespace tunesmith
