// Where the time of decoding goes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace tunesmith {

// Seconds of one thread.
struct SearchProfile {
  double search = 0;             // all of search, with what is below
  double target_sides = 0;       // lists of target sides: local scores, estimates
  std::vector<double> features;  // of each feature across rules, for the edges that were scored
  double lists = 0;              // graph and k best, behind search
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

// Adds the seconds of its life to a sum; null: it does not look at the clock.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Stopwatch(double* sum) : sum_(sum) {
    if (sum_ != nullptr) begin_ = Clock::now();
  }
  ~Stopwatch() {
    if (sum_ != nullptr) *sum_ += std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* sum_;
  Clock::time_point begin_{};
};

}  // namespace tunesmith
