#include "lm/kneser_ney.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tunesmith::lm {
namespace {

std::uint32_t log_bits(double probability) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::min(0.0, std::log10(probability))));
}

// Goes through the tree of contexts, short before long, children in order; `probability_[L][w]` is that of the
// word w after the open context of length L. Every n-gram has its suffix in the model, so what a longer context
// asks for was written for the shorter one that is open.
class Estimator {
 public:
  Estimator(AdjustedCounts& counts, const std::vector<Discounts>& discounts, Probabilities& out,
            const Progress& progress)
      : counts_(counts), discounts_(discounts), out_(out), progress_(progress) {
    const std::size_t vocabulary = counts.orders[0].size();
    probability_.assign(counts.orders.size(), std::vector<double>(vocabulary));
    out.unigram_backoffs.assign(vocabulary, 0.0f);
    for (Spool& spool : counts.orders) {
      total_ += spool.size();
      spool.rewind();
    }
  }

  // The group at the head of the stream of order level + 1, then all contexts that extend it to the left.
  void visit(std::size_t level) {
    std::uint32_t context[max_order];  // nearest word first
    Spool& spool = counts_.orders[level];
    std::copy(spool.head(), spool.head() + level, context);
    followers_.clear();
    for (; extends(spool.head(), context, level); spool.advance())
      followers_.push_back({spool.head()[level], AdjustedRecord::value(spool.head() + level + 1)});
    const std::uint64_t before = done_;
    done_ += followers_.size();
    if (before / step != done_ / step) progress_(done_, total_);
    estimate(level, context);
    if (level + 1 == counts_.orders.size()) return;
    while (extends(counts_.orders[level + 1].head(), context, level)) visit(level + 1);
  }

 private:
  static constexpr std::uint64_t step = 1 << 18;
  struct Follower {
    std::uint32_t word;
    std::uint64_t value;
  };

  static bool extends(const std::uint32_t* record, const std::uint32_t* context, std::size_t length) {
    return record != nullptr && std::equal(context, context + length, record);
  }

  // The equations of Chen and Goodman (1998) around (26), with a(·) the adjusted counts.
  void estimate(std::size_t level, const std::uint32_t* context) {
    const Discounts& discounts = discounts_[level];
    double denominator = 0, pruned_mass = 0, discounted = 0;
    bool any_kept = false;
    for (const Follower& follower : followers_) {
      const std::uint64_t count = follower.value & ~AdjustedRecord::pruned_bit;
      denominator += static_cast<double>(count);  // Σ_w a(context w)
      if (follower.value & AdjustedRecord::pruned_bit) {
        pruned_mass += static_cast<double>(count);
      } else {
        discounted += discounts.of(count);
        any_kept = true;
      }
    }
    // γ(context): the mass that was taken away, (D1 N1 + D2 N2 + D3+ N3+) / Σ_w a(context w). The counts of pruned
    // n-grams go there too, so that probabilities sum to one.
    const double gamma = (discounted + pruned_mass) / denominator;
    const double uniform = 1 / static_cast<double>(probability_[0].size() - 1);  // <s> is never predicted
    for (const Follower& follower : followers_) {
      if (follower.value & AdjustedRecord::pruned_bit) continue;
      const std::uint64_t count = follower.value;
      const double lower = level == 0 ? uniform : probability_[level - 1][follower.word];
      double probability = (static_cast<double>(count) - discounts.of(count)) / denominator + gamma * lower;
      if (level == 0 && follower.word == sentence_begin) probability = 1;  // log10 is 0, as lmplz writes it
      probability_[level][follower.word] = probability;
      std::uint32_t* record = out_.orders[level].append();
      std::copy(context, context + level, record);
      record[level] = follower.word;
      record[level + 1] = log_bits(probability);
    }
    // γ(context) is the back-off of the n-gram `context`.
    if (level == 1 && any_kept) out_.unigram_backoffs[context[0]] = std::bit_cast<float>(log_bits(gamma));
    if (level < 2 || !any_kept) return;
    std::uint32_t* record = out_.backoffs[level - 2].append();
    std::copy(context + 1, context + level, record);
    record[level - 1] = context[0];
    record[level] = log_bits(gamma);
  }

  AdjustedCounts& counts_;
  const std::vector<Discounts>& discounts_;
  Probabilities& out_;
  const Progress& progress_;
  std::vector<std::vector<double>> probability_;
  std::vector<Follower> followers_;
  std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace

Probabilities estimate_probabilities(AdjustedCounts& counts, const std::vector<Discounts>& discounts,
                                     MemoryBudget& budget, std::size_t sort_bytes, const std::string& folder,
                                     int threads, const Progress& progress) {
  const std::size_t order = counts.orders.size();
  Probabilities out;
  for (std::size_t n = 1; n <= order; ++n) out.orders.emplace_back(n + 1, budget, folder);
  for (std::size_t n = 2; n < order; ++n)
    out.backoffs.emplace_back(n, std::size_t{1}, RecordSorter::Equal::keep, sort_bytes / (order - 2), folder,
                              threads);
  Estimator(counts, discounts, out, progress).visit(0);
  return out;
}

}  // namespace tunesmith::lm
