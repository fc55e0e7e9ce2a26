// Memory for the many small things of one sentence: taken piece by piece, given back all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace tunesmith {

// Everything is aligned to 8 and stays where it is until clear().
class Arena {
 public:
  static constexpr std::size_t block_size = std::size_t{1} << 18;

  std::byte* take(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (bytes > left_) {
      if (bytes > block_size) return take_large(bytes);
      refill();
    }
    std::byte* taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return taken;
  }
  // Gives back the last piece taken, if it was not larger than a block.
  void untake(std::byte* piece) {
    left_ += static_cast<std::size_t>(at_ - piece);
    at_ = piece;
  }
  // The first blocks are kept for the next sentence; those of larger pieces, and of a very long sentence, are not.
  void clear() {
    large_.clear();
    large_bytes_ = 0;
    if (blocks_.size() > kept) blocks_.resize(kept);
    current_ = 0;
    left_ = 0;
    at_ = nullptr;
    used_before_ = 0;
  }
  // Roughly: the blocks in use.
  std::size_t used() const { return used_before_; }
  std::size_t reserved() const { return blocks_.size() * block_size + large_bytes_; }

 private:
  static constexpr std::size_t kept = 256;  // 64 MB

  void refill() {
    if (current_ == blocks_.size()) blocks_.emplace_back(new std::byte[block_size]);
    at_ = blocks_[current_++].get();
    left_ = block_size;
    used_before_ += block_size;
  }
  // What does not fit into a block has one of its own, so that none of the others is passed over for it.
  std::byte* take_large(std::size_t bytes) {
    large_.emplace_back(new std::byte[bytes]);
    used_before_ += bytes;
    large_bytes_ += bytes;
    return large_.back().get();
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_, large_;
  std::size_t current_ = 0;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0, used_before_ = 0, large_bytes_ = 0;
};

}  // namespace tunesmith
