// A sequence of fixed-width records written once and read once, front to back: in memory while a shared budget
// lasts, in a temporary file beyond it. What is read does not depend on where it was kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temporary_file.hpp"

namespace tunesmith {

// Bytes that several users share, on any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : left_(bytes) {}
  bool take(std::size_t bytes) {
    std::size_t left = left_.load(std::memory_order_relaxed);
    while (bytes <= left)
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    return false;
  }
  void give_back(std::size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_;
};

class Spool {
 public:
  // Records of `width` words. `budget` outlives the spool.
  Spool(std::size_t width, MemoryBudget& budget, std::string folder);
  ~Spool();
  Spool(Spool&&) = default;
  Spool(const Spool&) = delete;

  std::uint64_t size() const { return size_; }
  std::size_t width() const { return width_; }

  // A place for the next record, to be filled before anything else is called.
  std::uint32_t* append() {
    if (filled_ == room_) make_room();
    ++size_;
    return last_.get() + width_ * filled_++;
  }

  // Ends the writing and takes no more memory than what was written needs.
  void end();
  // Ends the writing; head() is then the first record, nullptr after the last one. Memory is freed on the way.
  void rewind();
  const std::uint32_t* head() const { return head_; }
  void advance() {
    head_ += width_;
    if (head_ == head_end_) load();
  }

 private:
  using Words = std::unique_ptr<std::uint32_t[]>;
  struct Block {
    Words records;  // empty if the block is in the file
    std::size_t words;
    std::uint64_t offset;
  };

  void make_room();
  void flush();
  void load();

  std::size_t width_, room_ = 0, filled_ = 0;  // records
  MemoryBudget* budget_;
  std::string folder_;
  std::uint64_t size_ = 0;
  Words last_;  // the block that is being written or read
  std::deque<Block> blocks_;
  std::optional<TemporaryFile> file_;
  const std::uint32_t* head_ = nullptr;
  const std::uint32_t* head_end_ = nullptr;
};

}  // namespace tunesmith
