#include "tuning/graphs/graph_lines.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "search/graphs/edge_scores.hpp"
#include "tuning/graphs/graph_envelope.hpp"
#include "tuning/graphs/probed_envelope.hpp"
#include "tuning/losses/line_sweep.hpp"

namespace tunesmith {
namespace {

// Follows graphs along lines: those with finite limits by probes, some at once; others whole.
class Follower {
 public:
  Follower(const GraphFeatures& features, EdgeSlopes& slopes, NumberedDerivations& numbered,
           KnownTranslations& known, GraphLines::Space& space)
      : features_(features), all_slopes_(slopes), numbered_(numbered), known_(known), space_(space) {}

  void follow(const Hypergraph& graph, std::size_t sentence, const GraphLines::Ranges& ranges,
              std::span<GraphLines::Found> out) {
    graph_ = &graph;
    sentence_ = sentence;
    point_ = &all_slopes_.at_point(graph, sentence, features_, space_.point);
    for (std::size_t line = 0; line < out.size();) {
      std::size_t end = line;
      while (end < out.size() && end - line < ManyViterbi::lines && std::isfinite(ranges.low[end]) &&
             std::isfinite(ranges.high[end]))
        ++end;
      if (end == line) {
        follow_whole(line, ranges.low[line], ranges.high[line], out[line]);
        ++line;
      } else {
        follow_probing(line, ranges.low.subspan(line, end - line), ranges.high.subspan(line, end - line),
                       out.subspan(line, end - line));
        line = end;
      }
    }
  }

 private:
  void follow_probing(std::size_t first, std::span<const double> low, std::span<const double> high,
                      std::span<GraphLines::Found> out) {
    std::vector<double>& slopes = space_.slopes;
    const std::size_t edges = graph_->edges();
    slopes.resize(edges * ManyViterbi::lines);
    std::fill(slopes.begin() + static_cast<std::ptrdiff_t>(edges * out.size()), slopes.end(), 0.0);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double bound = all_slopes_.write(*graph_, sentence_, features_, first + i,
                                             {slopes.data() + i * edges, edges}, space_.scores);
      check_bound(point_->bound + std::max(std::abs(low[i]), std::abs(high[i])) * bound);
    }
    space_.probed.compute(*graph_, point_->scores, slopes, point_->best, low, high);
    for (std::size_t i = 0; i < out.size(); ++i) {
      clear(out[i]);
      for (const ProbedEnvelope::Line& line : space_.probed.line(i)) {
        const std::span<const EdgeId> derivation = space_.probed.edges(line);
        out[i].derivations.edges.insert(out[i].derivations.edges.end(), derivation.begin(), derivation.end());
        add(line.start, out[i]);
      }
    }
  }

  void follow_whole(std::size_t line, double low, double high, GraphLines::Found& out) {
    GraphEnvelope& whole = space_.whole;
    space_.slopes.resize(graph_->edges());
    all_slopes_.write(*graph_, sentence_, features_, line, space_.slopes, space_.scores);
    whole.compute(*graph_, point_->scores, space_.slopes, low, high);
    clear(out);
    for (std::size_t i = 0; i < whole.goal().size(); ++i) {
      whole.append_derivation(*graph_, i, out.derivations.edges);
      add(whole.goal()[i].start, out);
    }
  }

  static void clear(GraphLines::Found& out) {
    out.best.clear();
    out.derivations.edges.clear();
    out.derivations.offsets.assign(1, 0);
  }

  // The derivation whose edges are the last ones.
  void add(double start, GraphLines::Found& out) {
    out.derivations.offsets.push_back(out.derivations.edges.size());
    const std::uint32_t number = number_of(out.derivations[out.derivations.size() - 1]);
    if (out.best.empty() || out.best.back().translation != number) out.best.push_back({start, number});
  }

  // The best derivation at the point is on every line.
  std::uint32_t number_of(std::span<const EdgeId> edges) {
    if (!std::ranges::equal(edges, point_->best))
      return numbered_.number(*graph_, sentence_, edges, known_, space_.words);
    if (point_->translation < 0)
      point_->translation = numbered_.number(*graph_, sentence_, edges, known_, space_.words);
    return static_cast<std::uint32_t>(point_->translation);
  }

  const GraphFeatures& features_;
  EdgeSlopes& all_slopes_;
  NumberedDerivations& numbered_;
  KnownTranslations& known_;
  const Hypergraph* graph_ = nullptr;
  std::size_t sentence_ = 0;
  EdgeSlopes::Point* point_ = nullptr;
  GraphLines::Space& space_;
};

LineSweep<KnownTranslations> sweep_of(std::span<const GraphLines::Found> found, std::size_t lines,
                                      std::size_t line, const KnownTranslations& known, double low, double high) {
  const std::size_t sentences = found.size() / lines;
  LineSweep sweep(known, sentences, low, high);
  for (std::size_t s = 0; s < sentences; ++s) {
    const std::vector<BestFrom>& best = found[s * lines + line].best;
    if (best.empty()) continue;
    sweep.add(
        s, best.size(), [&](std::size_t k) { return best[k].start; },
        [&](std::size_t k) { return known.row_of(s, best[k].translation); });
  }
  return sweep;
}

}  // namespace

std::unique_ptr<GraphLines::Space> GraphLines::take_space() {
  const std::lock_guard lock(spaces_mutex_);
  if (spaces_.empty()) return std::make_unique<Space>();
  std::unique_ptr<Space> space = std::move(spaces_.back());
  spaces_.pop_back();
  return space;
}

void GraphLines::give_back(std::unique_ptr<Space> space) {
  const std::lock_guard lock(spaces_mutex_);
  spaces_.push_back(std::move(space));
}

void GraphLines::follow(std::span<const Hypergraph* const> graphs, std::size_t first,
                        const GraphFeatures& features, KnownTranslations& known, std::span<const double> point,
                        std::span<const double> directions, const Ranges& ranges, int threads) {
  const std::size_t lines = ranges.low.size();
  if (lines_ != lines) {
    lines_ = lines;
    found_.assign(lines_ * sentences_, {});
  }
  slopes_.begin(point, directions);
  parallel_ranges(graphs.size(), threads, [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Space> space = take_space();
    Follower follower(features, slopes_, numbered_, known, *space);
    for (std::size_t g = begin; g < end; ++g)
      if (graphs[g]->nodes() > 0)
        follower.follow(*graphs[g], first + g, ranges, {found_.data() + (first + g) * lines, lines});
    give_back(std::move(space));
  });
}

CorpusEnvelope GraphLines::envelope(std::size_t line, const KnownTranslations& known) const {
  return sweep_of(found_, lines_, line, known, -INFINITY, INFINITY).envelope();
}

LineOptimum GraphLines::best_bleu(std::size_t line, const KnownTranslations& known, const LineRange& range,
                                  const BleuOptions& options) const {
  return sweep_of(found_, lines_, line, known, range.low, range.high).best_bleu(range.min_width, options);
}

void GraphLines::visit(std::size_t line) {
  for (std::size_t s = 0; s < sentences_; ++s) {
    const DerivationEdges& derivations = found_[s * lines_ + line].derivations;
    for (std::size_t i = 0; i < derivations.size(); ++i) visited_.add(s, derivations[i]);
  }
}

std::vector<std::int64_t> GraphLines::best(std::span<const Hypergraph* const> graphs, std::size_t first,
                                           const GraphFeatures& features, KnownTranslations& known,
                                           std::span<const double> point, int threads) {
  std::vector<std::int64_t> best(graphs.size(), -1);
  slopes_.begin(point, {});
  parallel_ranges(graphs.size(), threads, [&](std::size_t begin, std::size_t end) {
    EdgeSlopes::Point space;
    std::vector<std::int32_t> words;
    for (std::size_t g = begin; g < end; ++g) {
      if (graphs[g]->nodes() == 0) continue;
      const EdgeSlopes::Point& at = slopes_.at_point(*graphs[g], first + g, features, space);
      best[g] = numbered_.number(*graphs[g], first + g, at.best, known, words);
    }
  });
  return best;
}

}  // namespace tunesmith
