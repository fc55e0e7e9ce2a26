#include "decoding/hiero/cube_pruning.hpp"

#include <algorithm>

#include "base/narrow.hpp"

namespace tunesmith {

CubePruning::CubePruning(const DecoderModel& model, TargetOptions& targets, SearchProfile* profile)
    : targets_(targets), profile_(profile), scorer_(model), dense_(scorer_.dense_count()) {}

float CubePruning::estimate(const Cube& cube, std::uint32_t option, std::uint32_t first,
                            std::uint32_t second) const {
  float sum = cube.options[option].estimate;
  if (cube.gaps > 0) sum += chart_->hypotheses[cube.tails[0].begin + first].score;
  if (cube.gaps > 1) sum += chart_->hypotheses[cube.tails[1].begin + second].score;
  return sum;
}

// The origin of each cube is its best corner, so that no more cubes than edges can be reached.
void CubePruning::start(std::span<const Cube> cubes) {
  origins_.clear();
  for (std::uint32_t cube = 0; cube < cubes.size(); ++cube)
    origins_.emplace_back(estimate(cubes[cube], 0, 0, 0), cube);
  if (origins_.size() > most_) {
    std::nth_element(origins_.begin(), origins_.begin() + most_, origins_.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    origins_.resize(most_);
  }
  cubes_.clear();
  queue_.clear();
  for (const auto& [score, cube] : origins_) {
    queue_.append({score, narrow<std::uint16_t>(cubes_.size()), 0, {0, 0}});
    cubes_.push_back(cubes[cube]);
  }
  queue_.arrange();
}

// Each corner is pushed by exactly one other, its neighbour along the last axis on which it is not at the origin;
// so nothing must be remembered of corners pushed before, and corners come in the order of their estimates. Those
// that can not be reached any more are left out: what they would push is no better.
void CubePruning::replace_by_neighbours(const Entry& entry) {
  const Cube& cube = cubes_[entry.cube];
  bool replaced = false;
  const auto push = [&](std::uint32_t option, std::uint32_t first, std::uint32_t second) {
    const Entry next{estimate(cube, option, first, second),
                     entry.cube,
                     static_cast<std::uint16_t>(option),
                     {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)}};
    if (best_.enough(next.score)) return;
    replaced ? queue_.push(next) : queue_.replace_top(next);
    replaced = true;
  };
  const std::uint32_t option = entry.option, first = entry.tails[0], second = entry.tails[1];
  if (cube.gaps > 1 && second + 1 < cube.tails[1].size()) push(option, first, second + 1);
  if (second == 0 && cube.gaps > 0 && first + 1 < cube.tails[0].size()) push(option, first + 1, 0);
  if (second == 0 && first == 0 && option + 1 < cube.count) push(option + 1, 0, 0);
  if (!replaced) queue_.pop();
}

void CubePruning::fill(SentenceRows& rows, std::size_t begin, std::size_t end, std::span<const Cube> cubes,
                       std::uint32_t pop_limit, Chart& chart, Cell& cell) {
  chart_ = &chart;
  most_ = DecoderOptions::most_scored(pop_limit);
  start(cubes);
  best_.start(pop_limit);
  recombination_.start(chart, pop_limit);
  for (std::uint32_t scored = 0; scored < most_ && !queue_.empty(); ++scored) {
    const Entry entry = queue_.top();
    if (best_.enough(entry.score)) break;
    const Cube& cube = cubes_[entry.cube];
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
    edge.score += scorer_.score(rows, application, option, tails, state, dense_.data(), profile_);
    const bool is_new = recombination_.add(
        edge, dense_.data(), state, scorer_.hash(state),
        [&](const Hypothesis& found, std::uint32_t) { return scorer_.equal(found.state, state); });
    if (!is_new) chart.arena.untake(state);
    best_.add(edge.score);
    replace_by_neighbours(entry);
    ++chart.pops;
  }
  cell = recombination_.finish();
}

}  // namespace tunesmith
