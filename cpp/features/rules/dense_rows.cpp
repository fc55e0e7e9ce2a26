#include "features/rules/dense_rows.hpp"

#include <algorithm>
#include <utility>

namespace tunesmith {

DenseRows::DenseRows(std::size_t rows, std::size_t columns, Fill fill)
    : rows_(rows), columns_(columns), fill_(std::move(fill)), blocks_((rows + block_rows - 1) / block_rows) {}

DenseRows::~DenseRows() {
  for (const auto& block : blocks_) delete[] block.load();
}

const float* DenseRows::make(std::size_t block) const {
  const std::size_t first = block * block_rows, last = std::min(rows_, first + block_rows);
  // One number more, so that a block without columns is not null.
  auto made = std::make_unique<float[]>((last - first) * columns_ + 1);
  fill_(first, last, made.get());
  const float* known = nullptr;
  if (!blocks_[block].compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return known;
  return made.release();
}

std::size_t DenseRows::bytes() const {
  std::size_t made = 0;
  for (const auto& block : blocks_) made += block.load(std::memory_order_relaxed) != nullptr ? 1 : 0;
  return blocks_.size() * sizeof(void*) + made * block_rows * columns_ * sizeof(float);
}

}  // namespace tunesmith
