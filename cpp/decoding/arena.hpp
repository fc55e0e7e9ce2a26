// Memory for the many small things of one sentence: taken piece by piece, given back all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace tunesmith {

// Everything is aligned to 8 and stays where it is until clear().
class Arena {
 public:
  std::byte* take(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (bytes > left_) refill(bytes);
    std::byte* taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return taken;
  }
  // Gives back the last piece taken.
  void untake(std::byte* piece) {
    left_ += static_cast<std::size_t>(at_ - piece);
    at_ = piece;
  }
  // The blocks are kept for the next sentence.
  void clear() {
    current_ = 0;
    left_ = 0;
    at_ = nullptr;
    used_before_ = 0;
  }
  // Roughly: the blocks in use.
  std::size_t used() const { return used_before_; }
  std::size_t reserved() const {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.size;
    return sum;
  }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 18;
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::size_t size;
  };

  void refill(std::size_t bytes) {
    while (current_ < blocks_.size() && blocks_[current_].size < bytes) ++current_;
    if (current_ == blocks_.size()) {
      const std::size_t size = bytes > block_size ? bytes : block_size;
      blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
    }
    at_ = blocks_[current_].data.get();
    left_ = blocks_[current_].size;
    used_before_ += left_;
    ++current_;
  }

  std::vector<Block> blocks_;
  std::size_t current_ = 0;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0, used_before_ = 0;
};

}  // namespace tunesmith
