// Where the time of decoding goes.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tunesmith {

// Seconds of one thread.
struct SearchProfile {
  // One edge in this number is timed. Not a power of two: what repeats in cubes must not be met each time.
  static constexpr std::uint64_t every = 37;

  double search = 0;             // all of search, with what is below
  double target_sides = 0;       // lists of target sides: local scores, estimates
  std::vector<double> features;  // of each feature across rules, then of each span feature
  double lists = 0;              // graph and k-best lists, after the search
  std::uint64_t edges = 0;       // that were scored

  void add(const SearchProfile& other) {
    search += other.search;
    target_sides += other.target_sides;
    features.resize(std::max(features.size(), other.features.size()));
    for (std::size_t i = 0; i < other.features.size(); ++i) features[i] += other.features[i];
    lists += other.lists;
    edges += other.edges;
  }
};

// Processor time of this thread: others that run meanwhile do not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Times parts of a sample, each of which stands for the same part of `every` edges.
class SampleWatch {
 public:
  SampleWatch() {
    const double begin = thread_seconds();
    before_ = thread_seconds();
    reading_ = before_ - begin;  // what looking at the clock costs
  }
  // Seconds since the last lap, for all edges.
  double lap() {
    const double after = thread_seconds();
    const double seconds = std::max(0.0, after - before_ - reading_);
    before_ = after;
    return static_cast<double>(SearchProfile::every) * seconds;
  }

 private:
  double before_, reading_;
};

// Adds the seconds of its life to a sum; null: it does not look at the clock.
class Stopwatch {
 public:
  explicit Stopwatch(double* sum) : sum_(sum), begin_(sum == nullptr ? 0 : thread_seconds()) {}
  ~Stopwatch() {
    if (sum_ != nullptr) *sum_ += thread_seconds() - begin_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* sum_;
  double begin_;
};

}  // namespace tunesmith
