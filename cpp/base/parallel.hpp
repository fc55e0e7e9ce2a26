// Work over a range of indices on several threads. Which thread does what never changes a result: every index
// writes only its own output.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "base/thread_start.hpp"

namespace tunesmith {

// At most this many threads for a number that a caller asks for: more gain nothing, and it may well be 10,000.
inline std::size_t useful_threads(int threads) {
  const std::size_t most = 4 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
  return std::min(static_cast<std::size_t>(std::max(threads, 1)), most);
}

// Calls `work(begin, end)` on contiguous parts of [0, size) that cover it once. An exception of any part is
// rethrown here after all have ended (the first in index order).
template <class Work>
void parallel_ranges(std::size_t size, int threads, Work work) {
  const std::size_t parts = std::clamp<std::size_t>(useful_threads(threads), 1, std::max<std::size_t>(size, 1));
  if (parts == 1) {
    work(std::size_t{0}, size);
    return;
  }
  std::vector<std::exception_ptr> failures(parts);
  {
    std::vector<std::jthread> running;
    running.reserve(parts);
    for (std::size_t part = 0; part < parts; ++part)
      running.emplace_back([&, part] {
        try {
          prepare_thread();
          work(size * part / parts, size * (part + 1) / parts);
        } catch (...) {
          failures[part] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// Calls `work(index)` for every index below `size`; a thread that is done with one takes the next.
template <class Work>
void parallel_each(std::size_t size, int threads, Work work) {
  std::atomic<std::size_t> next{0};
  const auto wanted = static_cast<std::size_t>(std::max(threads, 1));
  parallel_ranges(std::min(size, wanted), threads, [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    for (std::size_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < size;) work(index);
  });
}

}  // namespace tunesmith
