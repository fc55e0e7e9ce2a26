#include "tuning/graphs/graph_envelope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double near_parallel = 1e-12;

}  // namespace

void GraphEnvelope::compute(const Hypergraph& graph, std::span<const double> heights,
                            std::span<const double> slopes, double low, double high) {
  lines_.clear();
  ranks_.clear();
  first_.assign(1, 0);
  goal_ = 0;
  double steepest = 0;
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    heights_.clear();
    slopes_.clear();
    edges_.clear();
    new_ranks_.clear();
    rank_at_.clear();
    for (EdgeId edge = graph.node_edges[node]; edge < graph.node_edges[node + 1]; ++edge)
      collect(graph, edge, heights[edge], slopes[edge]);
    for (const double slope : slopes_) steepest = std::max(steepest, std::abs(slope));
    goal_ = lines_.size();
    keep_visible(low, high, near_parallel * steepest);
    first_.push_back(lines_.size());
  }
}

// The lines of an edge: sums of one line of each tail, the pairs that are the highest somewhere.
void GraphEnvelope::collect(const Hypergraph& graph, EdgeId edge, double height, double slope) {
  const std::span<const NodeId> tails = graph.tails_of(edge);
  if (tails.size() == 1) {
    const std::size_t begin = first_[tails[0]], end = first_[tails[0] + 1];
    for (std::size_t i = begin; i < end; ++i) {
      add_line(height + lines_[i].height, slope + lines_[i].slope, edge);
      new_ranks_.push_back(static_cast<std::uint32_t>(i - begin));
    }
    return;
  }
  at_.assign(tails.size(), 0);
  const auto line = [&](std::size_t t) -> const Line& { return lines_[first_[tails[t]] + at_[t]]; };
  const auto next_start = [&](std::size_t t) {
    const std::size_t next = first_[tails[t]] + at_[t] + 1;
    return next < first_[tails[t] + 1] ? lines_[next].start : infinity;
  };
  while (true) {
    double sum = height, steep = slope;
    for (std::size_t t = 0; t < tails.size(); ++t) {
      sum += line(t).height;
      steep += line(t).slope;
    }
    add_line(sum, steep, edge);
    new_ranks_.insert(new_ranks_.end(), at_.begin(), at_.end());
    double next = infinity;
    for (std::size_t t = 0; t < tails.size(); ++t) next = std::min(next, next_start(t));
    if (next == infinity) return;
    for (std::size_t t = 0; t < tails.size(); ++t)
      if (next_start(t) <= next) ++at_[t];
  }
}

void GraphEnvelope::add_line(double height, double slope, EdgeId edge) {
  heights_.push_back(height);
  slopes_.push_back(slope);
  edges_.push_back(edge);
  rank_at_.push_back(narrow<std::uint32_t>(new_ranks_.size()));
}

void GraphEnvelope::keep_visible(double low, double high, double parallel) {
  upper_envelope(heights_, slopes_, first_best(heights_), low, high, space_, segments_, parallel);
  std::size_t begin = 0, end = segments_.size();
  while (begin + 1 < end && segments_[begin + 1].start <= low) ++begin;
  while (end > begin + 1 && segments_[end - 1].start >= high) --end;
  rank_at_.push_back(narrow<std::uint32_t>(new_ranks_.size()));
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t at = segments_[i].index;
    lines_.push_back({heights_[at], slopes_[at], i == begin ? -infinity : segments_[i].start, edges_[at],
                      narrow<std::uint32_t>(ranks_.size())});
    ranks_.insert(ranks_.end(), new_ranks_.begin() + rank_at_[at], new_ranks_.begin() + rank_at_[at + 1]);
  }
}

void GraphEnvelope::append_derivation(const Hypergraph& graph, std::size_t line,
                                      std::vector<EdgeId>& edges) const {
  append_edges(
      graph, graph.goal(), static_cast<std::uint32_t>(line),
      [this](NodeId node, std::uint32_t rank) {
        const Line& found = lines_[first_[node] + rank];
        return std::pair(found.edge, ranks_.data() + found.ranks);
      },
      edges);
}

}  // namespace tunesmith
