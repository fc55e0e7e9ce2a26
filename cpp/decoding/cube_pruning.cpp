#include "decoding/cube_pruning.hpp"

#include <algorithm>
#include <functional>

namespace tunesmith {
namespace {

// How many edges are scored at most for each that pop_limit asks for.
constexpr std::uint32_t patience = 4;

}  // namespace

CubePruning::CubePruning(const HieroModel& model, TargetOptions& targets)
    : targets_(targets), scorer_(model), recombination_(scorer_), dense_(scorer_.dense_count()) {}

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
    queue_.push_back({score, static_cast<std::uint16_t>(cubes_.size()), 0, {0, 0}});
    cubes_.push_back(cubes[cube]);
  }
  std::make_heap(queue_.begin(), queue_.end(), Worse{});
  best_.clear();
}

CubePruning::Entry CubePruning::pop() {
  std::pop_heap(queue_.begin(), queue_.end(), Worse{});
  const Entry entry = queue_.back();
  queue_.pop_back();
  return entry;
}

void CubePruning::push(std::uint16_t cube, std::uint32_t option, std::uint32_t first, std::uint32_t second) {
  queue_.push_back({estimate(cubes_[cube], option, first, second),
                    cube,
                    static_cast<std::uint16_t>(option),
                    {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)}});
  std::push_heap(queue_.begin(), queue_.end(), Worse{});
}

// Each corner is pushed by exactly one other, its neighbour along the last axis on which it is not at the origin;
// so nothing must be remembered of corners pushed before, and corners come in the order of their estimates.
void CubePruning::push_neighbours(const Entry& entry) {
  const Cube& cube = cubes_[entry.cube];
  const std::uint32_t option = entry.option, first = entry.tails[0], second = entry.tails[1];
  if (cube.gaps > 1 && second + 1 < cube.tails[1].size()) push(entry.cube, option, first, second + 1);
  if (second > 0) return;
  if (cube.gaps > 0 && first + 1 < cube.tails[0].size()) push(entry.cube, option, first + 1, 0);
  if (first > 0) return;
  if (option + 1 < cube.count) push(entry.cube, option + 1, 0, 0);
}

void CubePruning::remember(float score) {
  if (best_.size() == limit_) {
    if (score <= best_.front()) return;
    std::pop_heap(best_.begin(), best_.end(), std::greater<>{});
    best_.pop_back();
  }
  best_.push_back(score);
  std::push_heap(best_.begin(), best_.end(), std::greater<>{});
}

// The features across rules may make an edge worse than its estimate. So the span is not left as soon as enough
// edges are scored, but when that many are at least as good as what the queue promises.
void CubePruning::fill(const Sentence& sentence, std::size_t begin, std::size_t end, std::span<const Cube> cubes,
                       std::uint32_t pop_limit, bool keep_all, Chart& chart, Cell& cell) {
  chart_ = &chart;
  limit_ = pop_limit;
  most_ = std::min(patience * pop_limit, DecoderOptions::largest_pop_limit);
  start(cubes);
  recombination_.start(chart, keep_all, limit_);
  for (std::uint32_t scored = 0; scored < most_ && !queue_.empty(); ++scored) {
    if (best_.size() == limit_ && best_.front() >= queue_.front().score) break;
    const Entry entry = pop();
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
    edge.score += scorer_.score(sentence, application, option, tails, state, dense_.data());
    if (!recombination_.add(edge, dense_.data(), state)) chart.arena.untake(state);
    remember(edge.score);
    push_neighbours(entry);
    ++chart.pops;
  }
  cell = recombination_.finish();
}

}  // namespace tunesmith
