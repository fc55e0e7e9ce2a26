// Long work of the core that Ctrl-C ends.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/thread_start.hpp"
#include "bind/convert.hpp"

namespace tunesmith::bind {

// Calls `work(stop)` on another thread while this one looks at Python's signals, which only it can do. When one of
// them raises, `stop` becomes true, the work is waited for and Python's error is thrown. To be called without the
// GIL; no lock may be held for which another thread waits with the GIL.
template <class Work>
void run_interruptibly(Work work) {
  std::atomic<bool> stop = false;
  std::exception_ptr failure, interrupt;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  {
    std::jthread worker([&] {
      try {
        prepare_thread();
        work(stop);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; })) {
      if (interrupt) continue;
      lock.unlock();
      {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
          try {
            nb::raise_python_error();
          } catch (...) {
            interrupt = std::current_exception();
          }
          stop = true;
        }
      }
      lock.lock();
    }
  }
  if (interrupt) std::rethrow_exception(interrupt);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tunesmith::bind
