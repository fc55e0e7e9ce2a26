#include "alignment/symmetrize.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tunesmith {
namespace {

// One sentence pair: the points of both directions and those chosen so far, as dense tables.
class Grid {
 public:
  Grid(std::span<const Link> forward, std::span<const Link> backward) {
    for (const auto links : {forward, backward})
      for (const Link& link : links) {
        rows_ = std::max(rows_, link.source + 1);
        columns_ = std::max(columns_, link.target + 1);
      }
    union_.assign(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_), false);
    chosen_ = union_;
    source_aligned_.assign(static_cast<std::size_t>(rows_), false);
    target_aligned_.assign(static_cast<std::size_t>(columns_), false);
    for (const auto links : {forward, backward})
      for (const Link& link : links) union_[at(link)] = true;
  }

  bool in_union(Link link) const {
    return link.source >= 0 && link.target >= 0 && link.source < rows_ && link.target < columns_ &&
           union_[at(link)];
  }
  bool chosen(Link link) const { return chosen_[at(link)]; }
  bool source_free(Link link) const { return !source_aligned_[static_cast<std::size_t>(link.source)]; }
  bool target_free(Link link) const { return !target_aligned_[static_cast<std::size_t>(link.target)]; }

  void choose(Link link) {
    chosen_[at(link)] = true;
    source_aligned_[static_cast<std::size_t>(link.source)] = true;
    target_aligned_[static_cast<std::size_t>(link.target)] = true;
    links_.push_back(link);
  }
  // Chosen links; the list grows while it is walked, so index it.
  const std::vector<Link>& links() const { return links_; }

  // Chosen points take in neighbours of the union until nothing changes. `both`: only points with two free words.
  void grow(bool both) {
    // The order decides between points that exclude each other; it is that of Koehn's pseudocode (target words
    // outside, source words inside; the four nearest neighbours, then the diagonal ones), which Moses follows.
    static constexpr std::array<Link, 8> steps = {
        {{0, -1}, {-1, 0}, {0, 1}, {1, 0}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}}};
    for (bool added = true; added;) {
      added = false;
      for (std::int32_t target = 0; target < columns_; ++target)
        for (std::int32_t source = 0; source < rows_; ++source) {
          if (!chosen({source, target})) continue;
          for (const Link& step : steps) {
            const Link next{source + step.source, target + step.target};
            if (!in_union(next) || chosen(next)) continue;
            const bool wanted =
                both ? source_free(next) && target_free(next) : source_free(next) || target_free(next);
            if (!wanted) continue;
            choose(next);
            added = true;
          }
        }
    }
  }

  // Points of one direction that align a free word (or, with `both`, two) are taken in.
  void finish(std::span<const Link> direction, bool both) {
    std::vector<Link> by_target(direction.begin(), direction.end());
    std::stable_sort(by_target.begin(), by_target.end(),
                     [](const Link& a, const Link& b) { return a.target < b.target; });
    for (const Link& link : by_target) {
      if (chosen(link)) continue;
      const bool wanted = both ? source_free(link) && target_free(link) : source_free(link) || target_free(link);
      if (wanted) choose(link);
    }
  }

 private:
  std::size_t at(Link link) const {
    return static_cast<std::size_t>(link.source) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(link.target);
  }

  std::int32_t rows_ = 0, columns_ = 0;
  std::vector<bool> union_, chosen_, source_aligned_, target_aligned_;
  std::vector<Link> links_;
};

std::vector<Link> join(std::span<const Link> forward, std::span<const Link> backward, Symmetrization how) {
  std::vector<Link> both;
  std::set_intersection(forward.begin(), forward.end(), backward.begin(), backward.end(),
                        std::back_inserter(both));
  if (how == Symmetrization::intersection) return both;
  if (how == Symmetrization::unite) {
    std::vector<Link> either;
    std::set_union(forward.begin(), forward.end(), backward.begin(), backward.end(), std::back_inserter(either));
    return either;
  }
  Grid grid(forward, backward);
  for (const Link& link : both) grid.choose(link);
  grid.grow(how == Symmetrization::diag_and);
  if (how == Symmetrization::grow_diag_final || how == Symmetrization::grow_diag_final_and) {
    const bool and_ = how == Symmetrization::grow_diag_final_and;
    grid.finish(forward, and_);
    grid.finish(backward, and_);
  }
  return grid.links();
}

}  // namespace

Alignments symmetrize(const Alignments& forward, const Alignments& backward, Symmetrization how, int threads) {
  if (forward.size() != backward.size())
    throw Error("the forward alignment has " + std::to_string(forward.size()) +
                " sentence pairs, the backward one " + std::to_string(backward.size()));
  std::vector<std::vector<Link>> joined(forward.size());
  parallel_ranges(joined.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) joined[i] = join(forward.of(i), backward.of(i), how);
  });
  Alignments result;
  for (std::vector<Link>& links : joined) result.add(std::move(links));
  return result;
}

}  // namespace tunesmith
