// Ranges of sorted n-grams for several threads, while the calling one tells how far they are.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "base/thread_start.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

// How many records all workers have done. Only the thread that made it calls `progress`, which may throw to stop
// the work: the others then stop too.
class Meter {
 public:
  Meter(const Progress& progress, std::uint64_t total)
      : progress_(progress), total_(total), owner_(std::this_thread::get_id()) {}

  // One more record of a worker, whose records of late are in `own`.
  void count(std::uint64_t& own) {
    if (++own == step) add(own);
  }
  void add(std::uint64_t& own) {
    const std::uint64_t before = done_.fetch_add(own), after = before + own;
    own = 0;
    if (stop_) throw Stopped();
    if (std::this_thread::get_id() == owner_ && before / told != after / told) tell();
  }
  void tell() { progress_(done_, total_); }
  void stop() { stop_ = true; }

  struct Stopped {};

 private:
  static constexpr std::uint64_t step = 1 << 14, told = 1 << 18;
  const Progress& progress_;
  std::uint64_t total_;
  std::thread::id owner_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<bool> stop_ = false;
};

// How many workers there are for a number of threads, where each needs `tables` bytes and all together `bytes` at
// most.
inline std::size_t useful_workers(int threads, std::size_t tables, std::size_t bytes) {
  return std::clamp<std::size_t>(bytes / std::max<std::size_t>(tables, 1), 1, useful_threads(threads));
}

// Calls worker(range) for every range below `ranges`. Each worker is on a thread of its own and takes the next
// range when it is done with one; a single one is on the calling thread. The first error of any of them, in the
// order of workers, is thrown here.
template <class Worker>
void run_ranges(std::size_t ranges, std::vector<Worker>& workers, Meter& meter) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](Worker& worker) {
    for (std::size_t range; (range = next.fetch_add(1)) < ranges;) worker(range);
  };
  if (workers.size() == 1) return work(workers[0]);
  std::vector<std::exception_ptr> failures(workers.size() + 1);
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t left = workers.size();
  {
    std::vector<std::jthread> running;
    running.reserve(workers.size());
    for (std::size_t i = 0; i < workers.size(); ++i)
      running.emplace_back([&, i] {
        try {
          prepare_thread();
          work(workers[i]);
        } catch (const Meter::Stopped&) {  // another worker, or the caller, has the reason
        } catch (...) {
          failures[i + 1] = std::current_exception();
          meter.stop();
        }
        const std::lock_guard lock(mutex);
        --left;
        ended.notify_one();
      });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return left == 0; })) {
      if (failures[0]) continue;
      lock.unlock();
      try {
        meter.tell();
      } catch (...) {
        failures[0] = std::current_exception();
        meter.stop();
      }
      lock.lock();
    }
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tunesmith::lm
