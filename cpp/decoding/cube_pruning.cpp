#include "decoding/cube_pruning.hpp"

#include <algorithm>

namespace tunesmith {

CubePruning::CubePruning(const HieroModel& model, const DecoderOptions& options, TargetOptions& targets)
    : options_(options), targets_(targets), scorer_(model), recombination_(scorer_), dense_(scorer_.dense_count()) {}

float CubePruning::estimate(const Cube& cube, std::uint32_t option, std::uint32_t first,
                            std::uint32_t second) const {
  float sum = cube.options[option].estimate;
  if (cube.gaps > 0) sum += chart_->hypotheses[cube.tails[0].begin + first].score;
  if (cube.gaps > 1) sum += chart_->hypotheses[cube.tails[1].begin + second].score;
  return sum;
}

void CubePruning::push(std::uint32_t cube, std::uint32_t option, std::uint32_t first, std::uint32_t second) {
  queue_.push_back({estimate(cubes_[cube], option, first, second), cube, option, {first, second}});
  std::push_heap(queue_.begin(), queue_.end(), Worse{});
}

// Each corner is pushed by exactly one other, its best neighbour along the last axis that is not at its origin; so
// nothing must be remembered of the corners that were pushed before.
void CubePruning::push_neighbours(const Entry& entry) {
  const Cube& cube = cubes_[entry.cube];
  const auto [option, first, second] = std::tuple(entry.option, entry.tails[0], entry.tails[1]);
  if (cube.gaps > 1 && second + 1 < cube.tails[1].size()) push(entry.cube, option, first, second + 1);
  if (second > 0) return;
  if (cube.gaps > 0 && first + 1 < cube.tails[0].size()) push(entry.cube, option, first + 1, 0);
  if (first > 0) return;
  if (option + 1 < cube.count) push(entry.cube, option + 1, 0, 0);
}

void CubePruning::fill(const Sentence& sentence, std::size_t begin, std::size_t end, std::span<const Cube> cubes,
                       bool keep_all, Chart& chart, Cell& cell) {
  cubes_ = cubes;
  chart_ = &chart;
  queue_.clear();
  for (std::uint32_t cube = 0; cube < cubes.size(); ++cube)
    queue_.push_back({estimate(cubes[cube], 0, 0, 0), cube, 0, {0, 0}});
  std::make_heap(queue_.begin(), queue_.end(), Worse{});

  recombination_.start(chart, keep_all, options_.pop_limit);
  for (std::uint32_t pops = 0; pops < options_.pop_limit && !queue_.empty(); ++pops) {
    std::pop_heap(queue_.begin(), queue_.end(), Worse{});
    const Entry entry = queue_.back();
    queue_.pop_back();
    const Cube& cube = cubes[entry.cube];
    TargetOption& option = cube.options[entry.option];
    targets_.prepare(option);
    ChartEdge edge{&option, {0, 0}, option.local, ChartEdge::none};
    const std::byte* tails[2] = {};
    for (std::uint32_t gap = 0; gap < cube.gaps; ++gap) {
      edge.tails[gap] = cube.tails[gap].begin + entry.tails[gap];
      edge.score += chart.hypotheses[edge.tails[gap]].score;
      tails[gap] = chart.hypotheses[edge.tails[gap]].state;
    }
    const Application application{option.rule, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)};
    std::byte* state = chart.arena.take(scorer_.state_bytes());
    edge.score += scorer_.score(sentence, application, option, tails, state, dense_.data());
    if (!recombination_.add(edge, dense_.data(), state)) chart.arena.untake(state);
    push_neighbours(entry);
    ++chart.pops;
  }
  cell = recombination_.finish();
}

}  // namespace tunesmith
