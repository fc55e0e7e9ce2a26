// Cube pruning: the best hypotheses of a span, without scoring all of them (Chiang 2007, section 5.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/chart/best_scores.hpp"
#include "decoding/chart/chart.hpp"
#include "decoding/chart/recombination.hpp"
#include "decoding/heap.hpp"

namespace tunesmith {

// Options × hypotheses of the first gap × hypotheses of the second gap, each best first.
struct Cube {
  TargetOption* options;
  std::uint32_t count;
  std::uint32_t gaps;
  Cell tails[2];
};

class CubePruning {
 public:
  // profile: null, or where the times of features across rules are added.
  CubePruning(const DecoderModel& model, TargetOptions& targets, SearchProfile* profile);

  // Fills `cell` with the hypotheses that `cubes` give for [begin, end), best first.
  // pop_limit: see DecoderOptions.
  void fill(SentenceRows& rows, std::size_t begin, std::size_t end, std::span<const Cube> cubes,
            std::uint32_t pop_limit, Chart& chart, Cell& cell);

 private:
  // A corner of a cube; `score` is the sum of its parts.
  struct Entry {
    float score;
    std::uint16_t cube, option, tails[2];
  };
  struct Better {
    bool operator()(const Entry& a, const Entry& b) const { return a.score > b.score; }
  };
  float estimate(const Cube& cube, std::uint32_t option, std::uint32_t first, std::uint32_t second) const;
  void start(std::span<const Cube> cubes);
  void replace_by_neighbours(const Entry& entry);

  TargetOptions& targets_;
  SearchProfile* profile_;
  EdgeScorer scorer_;
  Recombination recombination_;
  std::uint32_t most_ = 0;  // edges that are scored for a span
  const Chart* chart_ = nullptr;
  std::vector<Cube> cubes_;  // those that can be reached
  std::vector<std::pair<float, std::uint32_t>> origins_;
  Heap<Entry, Better> queue_;
  BestScores best_;
  std::vector<float> dense_;
};

}  // namespace tunesmith
