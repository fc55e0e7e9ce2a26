// Threads that stay for many small blocks of work, where starting them for each block would cost more than the
// block.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/thread_start.hpp"

namespace tunesmith {

// Asks again and again whether a value has changed, for longer than it takes to wake a thread whose processor has
// gone to sleep. After the first microseconds it offers the processor to others before every question.
template <class Value>
bool changes_soon(const std::atomic<Value>& value, Value seen) {
  using Clock = std::chrono::steady_clock;
  for (int asked = 0; asked < 200; ++asked) {
    if (value.load(std::memory_order_acquire) != seen) return true;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  for (const auto end = Clock::now() + std::chrono::microseconds(150); Clock::now() < end;) {
    std::this_thread::yield();
    if (value.load(std::memory_order_acquire) != seen) return true;
  }
  return false;
}

// Calls work(item, worker) for the items of one block after the other. Who does what never changes a result: every
// item writes only its own output. The thread that calls `run` works too, as worker 0; where the system refuses
// more threads it works alone.
template <class Work>
class BlockWorkers {
 public:
  // At most this many workers for a number of threads that a caller asks for.
  static std::size_t useful(int threads) {
    const std::size_t most = 4 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
    return std::min(static_cast<std::size_t>(std::max(threads, 1)), most);
  }

  BlockWorkers(int threads, Work work) : work_(std::move(work)) {
    try {
      for (std::size_t worker = 1; worker < useful(threads); ++worker)
        helpers_.emplace_back([this, worker] { help(worker); });
    } catch (const std::system_error&) {  // fewer threads, the same result
    }
  }
  ~BlockWorkers() {
    closed_ = true;
    ++signal_;
    signal_.notify_all();
  }
  BlockWorkers(const BlockWorkers&) = delete;
  BlockWorkers& operator=(const BlockWorkers&) = delete;

  // Does the items 0 to size (exclusive). Rethrows an error of any of them after all have ended.
  void run(std::size_t size) {
    begin_ = end_.load();
    end_ += size;
    ++signal_;
    signal_.notify_all();
    take(0);
    for (std::uint64_t done = done_; done != end_; done = done_)
      if (!changes_soon(done_, done)) done_.wait(done);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void help(std::size_t worker) {
    try {
      prepare_thread();
    } catch (...) {
      return;
    }
    while (true) {
      const std::uint32_t seen = signal_;
      if (closed_) return;
      take(worker);
      if (!changes_soon(signal_, seen)) signal_.wait(seen);
    }
  }

  // Items have tickets that only rise: a block ends when its last ticket is done, so a ticket below end_ is of the
  // present block. A few at a time: threads seldom ask for the same number, and nobody waits long for the last
  // ones.
  void take(std::size_t worker) {
    std::uint64_t ticket = next_;
    for (std::uint64_t end = end_; ticket < end; end = end_) {
      const std::uint64_t share = std::min<std::uint64_t>(4, end - ticket);
      if (!next_.compare_exchange_weak(ticket, ticket + share)) continue;
      for (std::uint64_t item = ticket; item < ticket + share; ++item) try_item(item, worker);
      if ((done_ += share) == end_) done_.notify_all();
      ticket = next_;
    }
  }

  void try_item(std::uint64_t ticket, std::size_t worker) {
    try {
      work_(static_cast<std::size_t>(ticket - begin_), worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  // Each of them is on its own line of the processors' caches: threads do not wait for a number that they do not
  // ask.
  static constexpr std::size_t line = 64;
  Work work_;
  alignas(line) std::atomic<std::uint64_t> begin_ = 0, end_ = 0;
  alignas(line) std::atomic<std::uint64_t> next_ = 0;
  alignas(line) std::atomic<std::uint64_t> done_ = 0;
  alignas(line) std::atomic<std::uint32_t> signal_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::jthread> helpers_;  // last: they end before the rest goes
};

}  // namespace tunesmith
