#include "lm/kneser_ney.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lm/range_workers.hpp"

namespace tunesmith::lm {
namespace {

float log_of(double probability) {
  return static_cast<float>(std::min(0.0, std::log10(probability)));
}
std::uint32_t log_bits(double probability) {
  return std::bit_cast<std::uint32_t>(log_of(probability));
}

// What all followers of a context share: the equations of Chen and Goodman (1998) around (26), with a(·) the
// adjusted counts.
class Smoothing {
 public:
  explicit Smoothing(const Discounts& discounts) : discounts_(discounts) {}

  void see(std::uint64_t value) {
    const std::uint64_t count = value & ~AdjustedRecord::pruned_bit;
    denominator_ += static_cast<double>(count);  // Σ_w a(context w)
    if (value & AdjustedRecord::pruned_bit) {
      pruned_mass_ += static_cast<double>(count);
    } else {
      discounted_ += discounts_.of(count);
      any_kept_ = true;
    }
  }
  bool any_kept() const { return any_kept_; }
  // γ(context): the mass that was taken away, (D1 N1 + D2 N2 + D3+ N3+) / Σ_w a(context w). The counts of pruned
  // n-grams go there too, so that probabilities sum to one.
  double gamma() const { return (discounted_ + pruned_mass_) / denominator_; }
  // Of a follower that was not pruned; gamma: as above.
  double probability(std::uint64_t count, double gamma, double lower) const {
    return (static_cast<double>(count) - discounts_.of(count)) / denominator_ + gamma * lower;
  }

 private:
  const Discounts& discounts_;
  double denominator_ = 0, pruned_mass_ = 0, discounted_ = 0;
  bool any_kept_ = false;
};

// The probabilities of all words without context; log10 of them goes to `out`.
std::vector<double> unigram_probabilities(const std::vector<std::uint64_t>& counts, const Discounts& discounts,
                                          std::vector<float>& out) {
  Smoothing smoothing(discounts);
  for (const std::uint64_t count : counts) smoothing.see(count);
  const double gamma = smoothing.gamma(), uniform = 1 / static_cast<double>(counts.size() - 1);
  std::vector<double> probabilities(counts.size());
  for (std::size_t word = 0; word < counts.size(); ++word) {
    // <s> is never predicted; log10 is 0 there, as lmplz writes it.
    const double probability = word == sentence_begin ? 1 : smoothing.probability(counts[word], gamma, uniform);
    probabilities[word] = probability;
    out.push_back(log_of(probability));
  }
  return probabilities;
}

// Goes through the tree of contexts, short before long, children in order; `probability_[L - 1][w]` is that of the
// word w after the open context of length L. Every n-gram has its suffix in the model, so what a longer context
// asks for was written for the shorter one that is open.
class Estimator {
 public:
  Estimator(AdjustedCounts& counts, const std::vector<Discounts>& discounts, const std::vector<double>& unigrams,
            Probabilities& out, std::size_t number, Meter& meter)
      : counts_(counts), discounts_(discounts), unigrams_(unigrams), out_(out), number_(number), meter_(meter) {
    probability_.assign(discounts.size() - 1, std::vector<double>(unigrams.size()));
  }

  void operator()(std::size_t range) {
    in_ = &counts_.ranges[range];
    to_ = &out_.ranges[range];
    for (Spool& spool : *in_) spool.rewind();
    if (!in_->empty())
      while (in_->front().head() != nullptr) visit(1);
    for (Spool& spool : *to_) spool.end();
    meter_.add(done_);
  }

 private:
  struct Follower {
    std::uint32_t word;
    std::uint64_t value;
  };

  static bool extends(const std::uint32_t* record, const std::uint32_t* context, std::size_t length) {
    return record != nullptr && std::equal(context, context + length, record);
  }

  // The group at the head of the stream of order level + 1, then all contexts that extend it to the left.
  void visit(std::size_t level) {
    std::uint32_t context[max_order];  // nearest word first
    Spool& spool = (*in_)[level - 1];
    std::copy(spool.head(), spool.head() + level, context);
    followers_.clear();
    for (; extends(spool.head(), context, level); spool.advance()) {
      followers_.push_back({spool.head()[level], AdjustedRecord::value(spool.head() + level + 1)});
      meter_.count(done_);
    }
    estimate(level, context);
    if (level == in_->size()) return;
    while (extends((*in_)[level].head(), context, level)) visit(level + 1);
  }

  void estimate(std::size_t level, const std::uint32_t* context) {
    Smoothing smoothing(discounts_[level]);
    for (const Follower& follower : followers_) smoothing.see(follower.value);
    const double gamma = smoothing.gamma();
    const std::vector<double>& shorter = level == 1 ? unigrams_ : probability_[level - 2];
    for (const Follower& follower : followers_) {
      if (follower.value & AdjustedRecord::pruned_bit) continue;
      const double probability = smoothing.probability(follower.value, gamma, shorter[follower.word]);
      probability_[level - 1][follower.word] = probability;
      std::uint32_t* record = (*to_)[level - 1].append();
      std::copy(context, context + level, record);
      record[level] = follower.word;
      record[level + 1] = log_bits(probability);
    }
    // γ(context) is the back-off of the n-gram `context`.
    if (!smoothing.any_kept()) return;
    if (level == 1) {
      out_.unigram_backoffs[context[0]] = log_of(gamma);
      return;
    }
    std::uint32_t* record = out_.backoffs[level - 2][number_].append();
    std::copy(context + 1, context + level, record);
    record[level - 1] = context[0];
    record[level] = log_bits(gamma);
  }

  AdjustedCounts& counts_;
  const std::vector<Discounts>& discounts_;
  const std::vector<double>& unigrams_;
  Probabilities& out_;
  std::size_t number_;  // of the worker
  Meter& meter_;
  std::vector<Spool>*in_ = nullptr, *to_ = nullptr;  // of the range
  std::vector<std::vector<double>> probability_;
  std::vector<Follower> followers_;
  std::uint64_t done_ = 0;
};

}  // namespace

Probabilities estimate_probabilities(AdjustedCounts& counts, const std::vector<Discounts>& discounts,
                                     MemoryBudget& budget, std::size_t sort_bytes, const std::string& folder,
                                     std::size_t workers, const Progress& progress) {
  const std::size_t order = discounts.size();
  Probabilities out;
  std::uint64_t total = 0;
  for (const std::vector<Spool>& range : counts.ranges) {
    std::vector<Spool>& orders = out.ranges.emplace_back();
    for (std::size_t n = 2; n <= order; ++n) {
      orders.emplace_back(n + 1, budget, folder);
      total += range[n - 2].size();
    }
  }
  for (std::size_t n = 2; n < order; ++n) {
    std::vector<RecordSorter>& sorters = out.backoffs.emplace_back();
    for (std::size_t i = 0; i < workers; ++i)
      sorters.emplace_back(n, std::size_t{1}, RecordSorter::Equal::keep, sort_bytes / (order - 2) / workers,
                           folder);
  }
  const std::vector<double> unigrams = unigram_probabilities(counts.unigrams, discounts[0], out.unigrams);
  out.unigram_backoffs.assign(unigrams.size(), 0.0f);
  Meter meter(progress, total);
  std::vector<Estimator> estimators;
  for (std::size_t i = 0; i < workers; ++i) estimators.emplace_back(counts, discounts, unigrams, out, i, meter);
  run_ranges(counts.ranges.size(), estimators, meter);
  return out;
}

}  // namespace tunesmith::lm
