// Algorithms 2 and 3 of Liu et al. (2013) as they are printed (with the sign of line 4 put right): every step
// sorts all weights that are not 0. What the fast version is compared with, in speed and in every digit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuning/online/online_oscar.hpp"

namespace tunesmith {

class LiteralOscar {
 public:
  LiteralOscar(const OnlineOptions& options, std::span<const double> start_penalised,
               std::span<const double> start_dense);

  void run(const Differences& differences, std::span<const std::uint32_t> order, const std::atomic<bool>& stop);
  const std::vector<double>& penalised() const { return weights_; }
  const std::vector<double>& dense() const { return dense_; }
  const OnlineCounts& counts() const { return counts_; }

 private:
  // A pooled block: its members are [begin, end) of active_.
  struct Pool {
    double sum;
    std::size_t begin, end;
    double mean() const { return sum / static_cast<double>(end - begin); }
  };
  void add(const Differences& differences, std::size_t pair, double scale);
  void prox(double step);

  OnlineOptions options_;
  std::vector<double> weights_, dense_;
  std::vector<std::uint32_t> active_;  // Δ(w)
  std::vector<Pool> pools_;
  OnlineCounts counts_;
};

}  // namespace tunesmith
