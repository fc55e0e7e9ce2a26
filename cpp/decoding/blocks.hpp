// Long arrays that grow without being copied.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace tunesmith {

// Rows of `width` values each, in blocks that stay where they are. A std::vector that grows needs three times its
// size for a moment; of the edges of a long sentence that would be the peak of the memory.
template <class T>
class Blocks {
 public:
  explicit Blocks(std::size_t width = 1) : width_(width) {}

  std::size_t size() const { return size_; }
  T* operator[](std::size_t row) { return blocks_[row >> shift].get() + (row & mask) * width_; }
  const T* operator[](std::size_t row) const { return blocks_[row >> shift].get() + (row & mask) * width_; }
  // The new last row, to be written.
  T* append() {
    if (size_ >> shift == blocks_.size()) blocks_.emplace_back(new T[(mask + 1) * width_]);
    return (*this)[size_++];
  }
  // The first blocks are kept for the next sentence.
  void clear() {
    size_ = 0;
    if (blocks_.size() > kept) blocks_.resize(kept);
  }

 private:
  static constexpr std::size_t shift = 14, mask = (std::size_t{1} << shift) - 1;
  static constexpr std::size_t kept = 128;

  std::size_t width_, size_ = 0;
  std::vector<std::unique_ptr<T[]>> blocks_;
};

}  // namespace tunesmith
