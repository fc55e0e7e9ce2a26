// Values of many rows, computed when they are first read.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tunesmith {

// Rows × columns numbers in blocks of rows that follow one another, as the rules of a source side do. A block is
// computed when one of its rows is first read; so memory and time are those of what is read. Any number of threads
// may read: those that meet in a new block compute the same values, and the first one's stay.
class DenseRows {
 public:
  // fill(begin, end, out): writes the columns of these rows, one row after the other; always the same values. What
  // it throws, reading throws.
  using Fill = std::function<void(std::size_t begin, std::size_t end, float* out)>;
  DenseRows(std::size_t rows, std::size_t columns, Fill fill);
  DenseRows(const DenseRows&) = delete;
  DenseRows& operator=(const DenseRows&) = delete;
  ~DenseRows();

  const float* operator[](std::size_t row) const {
    const float* block = blocks_[row / block_rows].load(std::memory_order_acquire);
    if (block == nullptr) block = make(row / block_rows);
    return block + row % block_rows * columns_;
  }
  // A row that need not be kept.
  void read(std::size_t row, float* out) const { fill_(row, row + 1, out); }
  // Bytes of the blocks that were computed.
  std::size_t bytes() const;

 private:
  static constexpr std::size_t block_rows = 64;
  const float* make(std::size_t block) const;

  std::size_t rows_, columns_;
  Fill fill_;
  mutable std::vector<std::atomic<const float*>> blocks_;
};

}  // namespace tunesmith
