#include "tuning/graphs/probed_envelope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tunesmith {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double near_parallel = 1e-12;

double parallel(const ProbedEnvelope::Line& a, const ProbedEnvelope::Line& b) {
  return near_parallel * std::max(std::abs(a.slope), std::abs(b.slope));
}
double at(const ProbedEnvelope::Line& line, double step) {
  return line.height + step * line.slope;
}

}  // namespace

void ProbedEnvelope::compute(const Hypergraph& graph, std::span<const double> heights,
                             std::span<const double> slopes, std::span<const EdgeId> best,
                             std::span<const double> low, std::span<const double> high) {
  graph_ = &graph;
  heights_ = heights;
  slopes_ = slopes;
  edges_.clear();
  gaps_.clear();
  for (auto& candidates : candidates_) candidates.clear();
  for (auto& found : found_) found.clear();
  if (graph.nodes() == 0) return;
  probe_ends(best, low, high);
  probe_gaps();
  for (std::size_t line = 0; line < low.size(); ++line) keep_visible(line, low[line], high[line]);
}

ProbedEnvelope::Line ProbedEnvelope::probed(std::size_t probe) {
  viterbi_.derivation(*graph_, probe, derivation_);
  return read(derivation_, probes_[probe].line);
}

// A derivation with its height and slope: sums in the order of `viterbi`.
ProbedEnvelope::Line ProbedEnvelope::read(std::span<const EdgeId> derivation, std::size_t line) {
  sums_.clear();
  const double* const slopes = slopes_.data() + line * graph_->edges();
  for (std::size_t i = derivation.size(); i-- > 0;) {
    const EdgeId edge = derivation[i];
    double height = heights_[edge], slope = slopes[edge];
    for (std::size_t tail = graph_->tails_of(edge).size(); tail > 0; --tail) {  // the first one is on top
      height += sums_.back().first;
      slope += sums_.back().second;
      sums_.pop_back();
    }
    sums_.emplace_back(height, slope);
  }
  const std::size_t begin = edges_.size();
  edges_.insert(edges_.end(), derivation.begin(), derivation.end());
  return {sums_[0].first, sums_[0].second, -infinity, begin, edges_.size()};
}

bool ProbedEnvelope::same(const Line& a, const Line& b) const {
  return a.height == b.height && a.slope == b.slope && std::ranges::equal(edges(a), edges(b));
}

std::size_t ProbedEnvelope::add(std::size_t line, const Line& found) {
  candidates_[line].push_back(found);
  return candidates_[line].size() - 1;
}

// Nothing is between derivations that never meet.
void ProbedEnvelope::open(std::size_t line, std::size_t left, std::size_t right) {
  const Line &a = candidates_[line][left], &b = candidates_[line][right];
  const double change = b.slope - a.slope;
  if (change > parallel(a, b)) gaps_.push_back({line, left, right, (a.height - b.height) / change});
}

// The ends of each line, and step 0 where it is between them.
void ProbedEnvelope::probe_ends(std::span<const EdgeId> best, std::span<const double> low,
                                std::span<const double> high) {
  probes_.clear();
  for (std::size_t line = 0; line < low.size(); ++line)
    for (const double end : {low[line], high[line]}) probes_.push_back({static_cast<std::uint32_t>(line), end});
  viterbi_.run(*graph_, heights_, slopes_, probes_);
  for (std::size_t line = 0; line < low.size(); ++line) {
    std::size_t last = add(line, probed(2 * line));
    const auto append = [&](const Line& next) {
      if (same(candidates_[line][last], next)) {
        edges_.resize(next.begin);
        return;
      }
      open(line, last, add(line, next));
      last = candidates_[line].size() - 1;
    };
    if (low[line] < 0 && high[line] > 0) append(read(best, line));
    append(probed(2 * line + 1));
  }
}

void ProbedEnvelope::probe_gaps() {
  for (std::size_t first = 0; first < gaps_.size();) {
    const std::size_t count = std::min(gaps_.size() - first, ManyViterbi::lanes);
    probes_.clear();
    for (std::size_t i = 0; i < count; ++i)
      probes_.push_back({static_cast<std::uint32_t>(gaps_[first + i].line), gaps_[first + i].meeting});
    viterbi_.run(*graph_, heights_, slopes_, probes_);
    for (std::size_t i = 0; i < count; ++i) {
      const Gap gap = gaps_[first + i];
      const Line left = candidates_[gap.line][gap.left], right = candidates_[gap.line][gap.right];
      const Line middle = probed(i);
      const double reached = std::max(at(left, gap.meeting), at(right, gap.meeting));
      if (at(middle, gap.meeting) > reached && middle.slope - left.slope > parallel(left, middle) &&
          right.slope - middle.slope > parallel(middle, right)) {
        const std::size_t place = add(gap.line, middle);
        open(gap.line, gap.left, place);
        open(gap.line, place, gap.right);
      } else {
        edges_.resize(middle.begin);
      }
    }
    first += count;
  }
}

// What is left is the envelope of a short list.
void ProbedEnvelope::keep_visible(std::size_t line, double low, double high) {
  const std::vector<Line>& candidates = candidates_[line];
  std::vector<Line>& found = found_[line];
  scores_.clear();
  steepness_.clear();
  double steepest = 0;
  for (const Line& each : candidates) {
    scores_.push_back(each.height);
    steepness_.push_back(each.slope);
    steepest = std::max(steepest, std::abs(each.slope));
  }
  upper_envelope(scores_, steepness_, first_best(scores_), low, high, space_, segments_, near_parallel * steepest);
  std::size_t begin = 0, end = segments_.size();
  while (begin + 1 < end && segments_[begin + 1].start <= low) ++begin;
  while (end > begin + 1 && segments_[end - 1].start >= high) --end;
  for (std::size_t i = begin; i < end; ++i) {
    found.push_back(candidates[segments_[i].index]);
    found.back().start = i == begin ? -infinity : segments_[i].start;
  }
}

}  // namespace tunesmith
