#include "tuning/losses/hope_fear.hpp"

#include <algorithm>
#include <cmath>

#include "base/finite.hpp"
#include "base/vectorize.hpp"
#include "tuning/losses/upper_envelope.hpp"

namespace tunesmith {
namespace {

TUNESMITH_VECTORIZED void multiply_by_sums(const double* counts, double past, std::size_t size, double* products) {
  for (std::size_t i = 0; i < size; ++i) products[i] *= past + counts[i];
}

// The mean precision of four orders times a factor, 0 where nothing matches. counts: rows of `size` numbers, the
// matches of the four orders and then their totals; past: added to each row. Written without branches: this file
// is compiled with -fno-math-errno, so that four roots are drawn at once.
TUNESMITH_VECTORIZED void mean_of_four(const double* counts, const double* past, const double* factors,
                                       std::size_t size, double* out) {
  const double *const m1 = counts, *const m2 = m1 + size, *const m3 = m2 + size, *const m4 = m3 + size;
  const double *const t1 = m4 + size, *const t2 = t1 + size, *const t3 = t2 + size, *const t4 = t3 + size;
  for (std::size_t i = 0; i < size; ++i) {
    const double matches = (past[0] + m1[i]) * (past[1] + m2[i]) * (past[2] + m3[i]) * (past[3] + m4[i]);
    const double totals = (past[4] + t1[i]) * (past[5] + t2[i]) * (past[6] + t3[i]) * (past[7] + t4[i]);
    const double precision = factors[i] * std::sqrt(std::sqrt(matches / totals));
    out[i] = (matches > 0) & (totals > 0) ? precision : 0.0;
  }
}

void mean_of_orders(const double* matches, const double* totals, const double* factors, std::size_t size,
                    int order, double* out) {
  for (std::size_t i = 0; i < size; ++i)
    out[i] = matches[i] > 0 && totals[i] > 0 ? factors[i] * std::pow(matches[i] / totals[i], 1.0 / order) : 0.0;
}

struct HopeAndFear {
  std::size_t hope = 0, fear = 0;
};

TUNESMITH_VECTORIZED void add_and_subtract(const double* scores, const double* gains, std::size_t size,
                                           double* sums, double* differences) {
  for (std::size_t i = 0; i < size; ++i) {
    sums[i] = scores[i] + gains[i];
    differences[i] = scores[i] - gains[i];
  }
}

// The first index of the highest gain; of equal gains that of the highest score.
std::size_t highest_gain(const std::vector<double>& scores, const std::vector<double>& gains) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scores.size(); ++i)
    if (gains[i] > gains[best] || (gains[i] == gains[best] && scores[i] > scores[best])) best = i;
  return best;
}

class Chooser {
 public:
  HopeAndFear choose(const std::vector<double>& scores, const std::vector<double>& gains,
                     const PassOptions& options) {
    hopes_.resize(scores.size());
    fears_.resize(scores.size());
    add_and_subtract(scores.data(), gains.data(), scores.size(), hopes_.data(), fears_.data());
    return {options.hope == Hope::gain ? highest_gain(scores, gains) : first_best(hopes_),
            options.fear == Fear::model ? first_best(scores) : first_best(fears_)};
  }

 private:
  std::vector<double> hopes_, fears_;
};

}  // namespace

FixedGains::FixedGains(const Lists& lists, std::span<const double> gains) : lists_(lists), gains_(gains) {
  if (gains.size() != lists.rows()) throw Error("there must be one gain for each candidate");
  if (!all_finite(gains)) throw Error("gains must be finite numbers");
}

void FixedGains::of(std::size_t sentence, std::span<const double>, std::vector<double>& out) {
  out.assign(gains_.data() + lists_.begin(sentence), gains_.data() + lists_.end(sentence));
}

PseudoCorpusGains::PseudoCorpusGains(const Lists& lists, const DistinctStatistics& statistics,
                                     const PseudoCorpusOptions& options)
    : lists_(lists), statistics_(statistics), options_(options) {}

std::vector<double> PseudoCorpusGains::background() const {
  return std::vector<double>(statistics_.width(), options_.start);
}

void PseudoCorpusGains::of(std::size_t sentence, std::span<const double> background, std::vector<double>& out) {
  // BLEU(BG + e) · (reference length of BG + e), for each distinct row e of the sentence.
  const std::size_t count = statistics_.count(sentence);
  const int order = static_cast<int>(statistics_.width() / 2) - 1;
  const double* lengths = statistics_.column(sentence, 0);
  const double* reference_lengths = statistics_.column(sentence, 1);
  factors_.resize(count);
  distinct_.resize(count);
  double length = -1, reference_length = -1, factor = 0;  // of the last row: equal lengths stand together
  for (std::size_t i = 0; i < count; ++i) {
    if (lengths[i] != length || reference_lengths[i] != reference_length) {
      length = lengths[i];
      reference_length = reference_lengths[i];
      const double mine = background[0] + length, its = background[1] + reference_length;
      const double penalty = mine >= its ? 1.0 : mine > 0 ? std::exp(1.0 - its / mine) : 0.0;
      factor = options_.scale_by_length ? penalty * its : penalty;
    }
    factors_[i] = factor;
  }
  if (order == 4) {
    mean_of_four(statistics_.column(sentence, 2), background.data() + 2, factors_.data(), count, distinct_.data());
  } else {
    matches_.assign(count, 1.0);
    totals_.assign(count, 1.0);
    for (std::size_t n = 2; n < 2 + static_cast<std::size_t>(order); ++n) {
      const std::size_t m = n + static_cast<std::size_t>(order);
      multiply_by_sums(statistics_.column(sentence, n), background[n], count, matches_.data());
      multiply_by_sums(statistics_.column(sentence, m), background[m], count, totals_.data());
    }
    mean_of_orders(matches_.data(), totals_.data(), factors_.data(), count, order, distinct_.data());
  }
  const std::size_t length_of_list = lists_.length(sentence);
  const std::uint32_t* rows = statistics_.rows_of(lists_.begin(sentence));
  out.resize(length_of_list);
  for (std::size_t i = 0; i < length_of_list; ++i) out[i] = distinct_[rows[i]];
}

void PseudoCorpusGains::choose(std::size_t sentence, std::size_t candidate, std::span<double> background) const {
  const std::uint32_t row = statistics_.row_of(lists_.begin(sentence) + candidate);
  for (std::size_t i = 0; i < background.size(); ++i)
    background[i] = options_.decay * background[i] + statistics_.column(sentence, i)[row];
}

void passive_aggressive_step(RowDifference& difference, double loss, double step_cap, const Box& box,
                             PassState& state, PassResult& result) {
  const bool boxed = !box.lower.empty();
  double norm = 0;
  for (std::size_t k = 0; k < difference.ids.size(); ++k) {
    const std::uint32_t id = difference.ids[k];
    if (boxed && box.lower[id] == box.upper[id]) difference.values[k] = 0;
    norm += difference.values[k] * difference.values[k];
  }
  if (norm == 0) return;
  const double rate = std::min(step_cap, loss / norm);
  const double time = static_cast<double>(state.steps);
  for (std::size_t k = 0; k < difference.ids.size(); ++k) {
    const std::uint32_t id = difference.ids[k];
    const double before = state.weights[id];
    double after = before + rate * difference.values[k];
    if (boxed) after = std::clamp(after, box.lower[id], box.upper[id]);
    if (state.touched != nullptr && after != before) state.touched->push_back(id);
    state.weights[id] = after;
    state.drift[id] += time * (after - before);
  }
  ++result.updates;
  result.loss += loss;
}

PassResult hope_fear_pass(const CandidateMatrix& matrix, const Lists& lists, Gains& gains,
                          std::span<const std::uint32_t> order, const PassOptions& options, const Box& box,
                          PassState& state) {
  PassResult result;
  std::vector<double> scores, list_gains;
  RowDifference difference;
  Chooser chooser;
  for (std::size_t step = 0; step < order.size(); ++step) {
    const std::uint32_t sentence = order[step];
    if (step + 1 < order.size()) {  // sentences come in any order, so that the memory cannot guess the next one
      matrix.prefetch(lists.begin(order[step + 1]), lists.end(order[step + 1]));
      gains.prefetch(order[step + 1]);
    }
    ++state.steps;
    const std::size_t begin = lists.begin(sentence), length = lists.length(sentence);
    if (length == 0) continue;
    scores.resize(length);
    matrix.dots(begin, begin + length, state.weights, scores.data());
    gains.of(sentence, state.background, list_gains);
    const auto [hope, fear] = chooser.choose(scores, list_gains, options);
    const double loss = list_gains[hope] - list_gains[fear] + scores[fear] - scores[hope];
    gains.choose(sentence, hope, state.background);
    if (hope == fear || !(loss > 0)) continue;

    difference.compute(matrix, begin + hope, begin + fear);
    passive_aggressive_step(difference, loss, options.step_cap, box, state, result);
  }
  return result;
}

}  // namespace tunesmith
