// Memory for one call that the next call of the same thread gets again.
#pragma once

#include <cstddef>
#include <utility>

#include "base/memory/scratch.hpp"

namespace tunesmith {

// For operators that are called again and again with arrays of about the same size: fresh pages cost as much as
// the whole work on them. What is larger than `kept` is given back at the end like any other memory. Not filled.
class Workspace {
 public:
  static constexpr std::size_t kept = std::size_t{1} << 25;  // bytes of a thread

  explicit Workspace(std::size_t bytes) : block_(std::exchange(free_block(), Block{})) {
    if (block_.bytes < bytes) block_ = {make_scratch<std::byte>(bytes), bytes};
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (block_.bytes <= kept && block_.bytes > free_block().bytes) free_block() = std::move(block_);
  }

  // What `take` uses for these, at most.
  template <class T>
  static constexpr std::size_t bytes_for(std::size_t size) {
    return size * sizeof(T) + line;
  }
  // Room for `size` numbers, at the beginning of a line of the cache.
  template <class T>
  T* take(std::size_t size) {
    static_assert(std::is_trivial_v<T>);
    T* room = reinterpret_cast<T*>(block_.memory.get() + used_);
    used_ += (size * sizeof(T) + line - 1) / line * line;
    return room;
  }

 private:
  static constexpr std::size_t line = 64;
  struct Block {
    Scratch<std::byte> memory;
    std::size_t bytes = 0;
  };
  static Block& free_block() {
    static thread_local Block block;
    return block;
  }

  Block block_;
  std::size_t used_ = 0;
};

}  // namespace tunesmith
