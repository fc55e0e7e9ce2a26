#include "alignment/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tunesmith {
namespace {

constexpr std::int32_t no_source = -1;

void check(const std::vector<WordId>& ids, const std::vector<std::int64_t>& offsets) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(ids.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw Error("offsets must rise from 0 to the number of words");
}

}  // namespace

// A sentence pair under the current parameters, with the arrays of the forward-backward algorithm.
//
// State i (from 0 to I - 1): the target word translates source word i. State I + i: it translates none, and the
// last one that did translated word i; of the first words the last one is at -1, which is state 2 I.
class HmmAligner::Sentence {
 public:
  explicit Sentence(const HmmAligner& aligner) : aligner_(aligner) {}

  bool set(std::size_t pair) {
    f_ = aligner_.source().of(pair);
    e_ = aligner_.target().of(pair);
    if (f_.empty() || e_.empty()) return false;
    size_ = f_.size();
    cells_.resize((size_ + 1) * e_.size());
    for (std::size_t j = 0; j < e_.size(); ++j) {
      cells_[j * (size_ + 1) + size_] = aligner_.table_.find(0, e_[j]);
      for (std::size_t i = 0; i < size_; ++i)
        cells_[j * (size_ + 1) + i] = aligner_.table_.find(static_cast<std::size_t>(f_[i]) + 1, e_[j]);
    }
    return true;
  }

  std::size_t target_words() const { return e_.size(); }
  // The cell of target word j and source word i; i = I is the empty word.
  std::size_t cell(std::size_t j, std::size_t i) const { return cells_[j * (size_ + 1) + i]; }
  // p(e_j | f_i), never 0: a rounding must not make a sentence impossible.
  double emission(std::size_t j, std::size_t i) const {
    return std::max<double>(static_cast<double>(aligner_.table_.probability(cell(j, i))), 1e-30);
  }

  // Model 1: adds the posterior of every source word and of none.
  void count_model1(TranslationTable& table) {
    const double null = aligner_.options_.to_null;
    for (std::size_t j = 0; j < e_.size(); ++j) {
      double total = 0.0;
      for (std::size_t i = 0; i <= size_; ++i) total += prior_model1(i, null) * emission(j, i);
      for (std::size_t i = 0; i <= size_; ++i)
        table.add(cell(j, i), prior_model1(i, null) * emission(j, i) / total);
    }
  }

  std::int32_t best_model1(std::size_t j) const {
    const double null = aligner_.options_.to_null;
    std::size_t best = 0;
    for (std::size_t i = 1; i <= size_; ++i)
      if (prior_model1(i, null) * emission(j, i) > prior_model1(best, null) * emission(j, best)) best = i;
    return best == size_ ? no_source : static_cast<std::int32_t>(best);
  }

  // Baum-Welch: posteriors of states go to `table`, those of jumps to `jumps`.
  void count_hmm(TranslationTable& table, std::vector<std::int64_t>& jumps) {
    set_transitions();
    const std::size_t words = e_.size(), states = 2 * size_ + 1;
    forward_.assign(words * states, 0.0);
    backward_.assign(words * states, 0.0);
    scale_.assign(words, 0.0);
    const double null = aligner_.options_.to_null;
    for (std::size_t j = 0; j < words; ++j) {
      double* const now = &forward_[j * states];
      const double* const before = j == 0 ? nullptr : now - states;
      // What precedes, by the position of the last word that was translated; `size_` is before the first.
      reach_.assign(size_ + 1, 0.0);
      if (before == nullptr)
        reach_[size_] = 1.0;
      else {
        for (std::size_t i = 0; i < size_; ++i) reach_[i] = before[i] + before[size_ + i];
        reach_[size_] = before[2 * size_];
      }
      const double empty = null * emission(j, size_);
      for (std::size_t from = 0; from <= size_; ++from) {
        if (reach_[from] == 0.0) continue;
        const double* const row = &transitions_[from * size_];
        for (std::size_t i = 0; i < size_; ++i) now[i] += reach_[from] * row[i];
        now[size_ + from] = reach_[from] * empty;
      }
      double total = 0.0;
      for (std::size_t i = 0; i < size_; ++i) now[i] *= emission(j, i);
      for (std::size_t s = 0; s < states; ++s) total += now[s];
      scale_[j] = total;
      for (std::size_t s = 0; s < states; ++s) now[s] /= total;
    }
    std::fill(&backward_[(words - 1) * states], &backward_[(words - 1) * states] + states, 1.0);
    for (std::size_t j = words - 1; j > 0; --j) {
      const double* const next = &backward_[j * states];
      double* const now = &backward_[(j - 1) * states];
      const double empty = null * emission(j, size_) / scale_[j];
      ahead_.resize(size_);
      for (std::size_t i = 0; i < size_; ++i) ahead_[i] = emission(j, i) * next[i] / scale_[j];
      for (std::size_t from = 0; from <= size_; ++from) {
        const double* const row = &transitions_[from * size_];
        double sum = empty * next[size_ + from];
        for (std::size_t i = 0; i < size_; ++i) sum += row[i] * ahead_[i];
        if (from < size_) now[from] = sum;
        now[size_ + from] = sum;
      }
    }
    count_posteriors(table, jumps);
  }

  // Viterbi. Of equally good ones the alignment of the first positions.
  void best_hmm(std::vector<std::int32_t>& found) {
    set_transitions();
    const std::size_t words = e_.size(), states = 2 * size_ + 1;
    const double null = aligner_.options_.to_null, never = -std::numeric_limits<double>::infinity();
    for (double& p : transitions_) p = std::log(p);
    std::vector<double> now(states, never), before(states, never);
    from_.assign(words * states, 0);
    for (std::size_t j = 0; j < words; ++j) {
      std::fill(now.begin(), now.end(), never);
      const double empty = std::log(null) + std::log(emission(j, size_));
      for (std::size_t from = 0; from <= size_; ++from) {
        // The better of the two states with this last position.
        std::size_t state = from < size_ && before[from] >= before[size_ + from] ? from : size_ + from;
        const double score = j == 0 ? (from == size_ ? 0.0 : never) : before[state];
        if (score == never) continue;
        const double* const row = &transitions_[from * size_];
        for (std::size_t i = 0; i < size_; ++i)
          if (score + row[i] > now[i]) {
            now[i] = score + row[i];
            from_[j * states + i] = static_cast<std::uint32_t>(state);
          }
        now[size_ + from] = score + empty;
        from_[j * states + size_ + from] = static_cast<std::uint32_t>(state);
      }
      for (std::size_t i = 0; i < size_; ++i) now[i] += std::log(emission(j, i));
      before.swap(now);
    }
    auto state = static_cast<std::size_t>(std::max_element(before.begin(), before.end()) - before.begin());
    found.assign(words, no_source);
    for (std::size_t j = words; j-- > 0;) {
      if (state < size_) found[j] = static_cast<std::int32_t>(state);
      state = from_[j * states + state];
    }
  }

 private:
  double prior_model1(std::size_t i, double null) const {
    return i == size_ ? null : (1.0 - null) / static_cast<double>(size_);
  }

  // Row `from`, the last row from before the first word: probabilities of going on at each source word.
  void set_transitions() {
    const double share = 1.0 - aligner_.options_.to_null, uniform = aligner_.options_.uniform;
    transitions_.resize((size_ + 1) * size_);
    for (std::size_t from = 0; from <= size_; ++from) {
      double* const row = &transitions_[from * size_];
      double total = 0.0;
      for (std::size_t to = 0; to < size_; ++to) total += row[to] = aligner_.jumps_[jump(from, to)];
      for (std::size_t to = 0; to < size_; ++to)
        row[to] = share * ((total > 0 ? (1.0 - uniform) * row[to] / total : 0.0) +
                           (total > 0 ? uniform : 1.0) / static_cast<double>(size_));
    }
  }

  std::size_t jump(std::size_t from, std::size_t to) const {
    const std::size_t before = from == size_ ? 0 : from + 1;  // words up to and with the last one
    return to + 1 + aligner_.longest_ - before;
  }

  void count_posteriors(TranslationTable& table, std::vector<std::int64_t>& jumps) {
    const std::size_t words = e_.size(), states = 2 * size_ + 1;
    for (std::size_t j = 0; j < words; ++j) {
      const double* const ahead = &backward_[j * states];
      const double* const now = &forward_[j * states];
      double empty = 0.0;
      for (std::size_t i = 0; i < size_; ++i) table.add(cell(j, i), now[i] * ahead[i]);
      for (std::size_t s = size_; s < states; ++s) empty += now[s] * ahead[s];
      table.add(cell(j, size_), std::min(empty, 1.0));
      ahead_.resize(size_);
      for (std::size_t i = 0; i < size_; ++i) ahead_[i] = emission(j, i) * ahead[i] / scale_[j];
      for (std::size_t from = 0; from <= size_; ++from) {
        double reach = j == 0 ? static_cast<double>(from == size_) : (now - states)[size_ + from];
        if (j > 0 && from < size_) reach += (now - states)[from];
        if (reach == 0.0) continue;
        const double* const row = &transitions_[from * size_];
        for (std::size_t i = 0; i < size_; ++i)
          std::atomic_ref(jumps[jump(from, i)])
              .fetch_add(static_cast<std::int64_t>(reach * row[i] * ahead_[i] * count_unit + 0.5),
                         std::memory_order_relaxed);
      }
    }
  }

  const HmmAligner& aligner_;
  std::span<const WordId> f_, e_;
  std::size_t size_ = 0;
  std::vector<std::size_t> cells_;
  std::vector<double> transitions_, forward_, backward_, scale_, reach_, ahead_;
  std::vector<std::uint32_t> from_;
};

HmmAligner::HmmAligner(std::vector<WordId> source, std::vector<std::int64_t> source_offsets,
                       std::vector<WordId> target, std::vector<std::int64_t> target_offsets,
                       std::size_t source_words, HmmOptions options)
    : source_(std::move(source)),
      target_(std::move(target)),
      source_offsets_(std::move(source_offsets)),
      target_offsets_(std::move(target_offsets)),
      options_(options) {
  check(source_, source_offsets_);
  check(target_, target_offsets_);
  if (source_offsets_.size() != target_offsets_.size())
    throw Error(std::to_string(this->source().size()) + " source and " + std::to_string(this->target().size()) +
                " target sentences");
  for (const WordId word : source_)
    if (word < 0 || static_cast<std::size_t>(word) >= source_words) throw Error("a source word has no number");
  for (const WordId word : target_)
    if (word < 0) throw Error("a target word has no number");
  if (!(options.to_null > 0 && options.to_null < 1 && options.uniform >= 0 && options.uniform <= 1 &&
        options.prior >= 0))
    throw Error("the options of the aligner are not probabilities");
  table_ = TranslationTable(this->source(), this->target(), source_words);
  for (std::size_t i = 0; i < this->source().size(); ++i)
    longest_ = std::max(longest_, this->source().of(i).size());
  jumps_.assign(2 * longest_ + 2, 1.0);
}

void HmmAligner::train_model1(int threads, const std::atomic<bool>& stop) {
  parallel_ranges(source().size(), threads, [&](std::size_t begin, std::size_t end) {
    Sentence sentence(*this);
    for (std::size_t pair = begin; pair < end && !stop; ++pair)
      if (sentence.set(pair)) sentence.count_model1(table_);
  });
  if (!stop) table_.normalize(options_.prior, threads);
}

void HmmAligner::train_hmm(int threads, const std::atomic<bool>& stop) {
  std::vector<std::int64_t> jumps(jumps_.size(), 0);
  parallel_ranges(source().size(), threads, [&](std::size_t begin, std::size_t end) {
    Sentence sentence(*this);
    for (std::size_t pair = begin; pair < end && !stop; ++pair)
      if (sentence.set(pair)) sentence.count_hmm(table_, jumps);
  });
  if (stop) return;
  table_.normalize(options_.prior, threads);
  std::transform(jumps.begin(), jumps.end(), jumps_.begin(),
                 [](std::int64_t count) { return static_cast<double>(count) / count_unit; });
  hmm_ = true;
}

Alignments HmmAligner::align(bool flipped, int threads, const std::atomic<bool>& stop) const {
  std::vector<std::vector<Link>> links(source().size());
  parallel_ranges(source().size(), threads, [&](std::size_t begin, std::size_t end) {
    Sentence sentence(*this);
    std::vector<std::int32_t> found;
    for (std::size_t pair = begin; pair < end && !stop; ++pair) {
      if (!sentence.set(pair)) continue;
      if (hmm_)
        sentence.best_hmm(found);
      else {
        found.resize(sentence.target_words());
        for (std::size_t j = 0; j < found.size(); ++j) found[j] = sentence.best_model1(j);
      }
      for (std::size_t j = 0; j < found.size(); ++j) {
        const auto at = static_cast<std::int32_t>(j);
        if (found[j] != no_source) links[pair].push_back(flipped ? Link{at, found[j]} : Link{found[j], at});
      }
    }
  });
  Alignments out;
  for (std::vector<Link>& each : links) out.add(std::move(each));
  return out;
}

}  // namespace tunesmith
