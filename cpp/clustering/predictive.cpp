#include "clustering/predictive.hpp"

#include <algorithm>

namespace tunesmith {
namespace {

std::vector<std::size_t> row_widths(const Bigrams& bigrams, bool bidirectional) {
  const std::size_t rows = bigrams.size() + 1;
  std::vector<std::size_t> widths(bidirectional ? 2 * rows : rows);
  for (const Neighbour& each : bigrams.before.entries) ++widths[each.word];
  if (bidirectional)
    for (const Neighbour& each : bigrams.after.entries) ++widths[rows + each.word];
  return widths;
}

std::int64_t largest_count(const Bigrams& bigrams) {
  std::int64_t largest = bigrams.counts.empty() ? 0 : bigrams.counts.front();
  for (const Neighbour& each : bigrams.before.entries) largest = std::max<std::int64_t>(largest, each.count);
  return largest;
}

}  // namespace

PredictiveObjective::PredictiveObjective(const Bigrams& bigrams, std::size_t class_count, bool bidirectional)
    : ClassObjective(bigrams.size(), class_count),
      bigrams_(bigrams),
      bidirectional_(bidirectional),
      t_(std::max(bigrams.tokens, largest_count(bigrams))),
      rows_(row_widths(bigrams, bidirectional), class_count),
      totals_(class_count) {
  context_terms_.reserve(bigrams.size());
  for (std::size_t word = 0; word < bigrams.size(); ++word) {
    double sum = 0;
    for_each_context(word, [&](std::size_t, std::uint32_t count) { sum += t_(count); });
    context_terms_.push_back(sum);
  }
}

template <class Visit>
void PredictiveObjective::for_each_context(std::size_t word, Visit visit) const {
  for (const Neighbour& each : bigrams_.before.of(word)) visit(std::size_t{each.word}, each.count);
  if (!bidirectional_) return;
  for (const Neighbour& each : bigrams_.after.of(word)) visit(bigrams_.size() + 1 + each.word, each.count);
}

// N(c) without the word.
std::int64_t PredictiveObjective::class_total(ClassId of, std::size_t word, ClassId own) const {
  return totals_[static_cast<std::size_t>(of)] - (of == own ? bigrams_.counts[word] : 0);
}

void PredictiveObjective::score(std::size_t word, ScoringSpace& space) const {
  const ClassId own = classes_[word];
  const std::int64_t occurrences = bigrams_.counts[word];
  const double factor = bidirectional_ ? 2 : 1;
  space.gains.resize(class_count_);
  double* const gains = space.gains.data();
  for (std::size_t c = 0; c < class_count_; ++c) {
    const auto total = static_cast<std::uint64_t>(class_total(static_cast<ClassId>(c), word, own));
    gains[c] = context_terms_[word] - factor * (t_(total + static_cast<std::uint64_t>(occurrences)) - t_(total));
  }
  for_each_context(word, [&](std::size_t row, std::uint32_t n) {
    const double alone = t_(n);
    const auto step = [&](std::uint32_t count) { return t_(std::uint64_t{count} + n) - t_(count) - alone; };
    if (rows_.is_dense(row)) {
      const std::span<const std::uint32_t> counts = rows_.counts(row);
      const double before = own == no_class ? 0 : gains[own];
      for (std::size_t c = 0; c < class_count_; ++c) gains[c] += step(counts[c]);
      if (own != no_class) gains[own] = before + step(counts[static_cast<std::size_t>(own)] - n);
      return;
    }
    for (const ClassRows::Cell& cell : rows_.cells(row))
      gains[cell.name] += step(cell.count - (cell.name == own ? n : 0));
  });
}

double PredictiveObjective::score_in(std::size_t word, ClassId to, ScoringSpace&) const {
  const ClassId own = classes_[word];
  const auto total = static_cast<std::uint64_t>(class_total(to, word, own));
  double gain =
      context_terms_[word] -
      (bidirectional_ ? 2 : 1) * (t_(total + static_cast<std::uint64_t>(bigrams_.counts[word])) - t_(total));
  for_each_context(word, [&](std::size_t row, std::uint32_t n) {
    const std::uint64_t count = rows_.count(row, to) - (to == own ? n : 0);
    gain += t_(count + n) - t_(count) - t_(n);
  });
  return gain;
}

// One walk over the rows finds both classes, a second one changes them.
double PredictiveObjective::move(std::size_t word, ClassId to, double least, ScoringSpace& space) {
  const ClassId own = classes_[word];
  const auto occurrences = static_cast<std::uint64_t>(bigrams_.counts[word]);
  const auto first = [&](ClassId of) {
    const auto total = static_cast<std::uint64_t>(class_total(of, word, own));
    return context_terms_[word] - (bidirectional_ ? 2 : 1) * (t_(total + occurrences) - t_(total));
  };
  double there = first(to), here = first(own);
  space.places.clear();
  for_each_context(word, [&](std::size_t row, std::uint32_t n) {
    const auto places = rows_.find(row, own, to);
    space.places.push_back(places);
    const std::uint64_t left = rows_.count_at(row, places.first) - n, more = rows_.count_at(row, places.second);
    const double alone = t_(n);
    there += t_(more + n) - t_(more) - alone;
    here += t_(left + n) - t_(left) - alone;
  });
  const double gain = there - here;
  if (!(gain > least)) return 0;
  auto places = space.places.begin();
  for_each_context(word, [&](std::size_t row, std::uint32_t n) { rows_.move(row, *places++, to, n); });
  totals_[static_cast<std::size_t>(own)] -= bigrams_.counts[word];
  totals_[static_cast<std::size_t>(to)] += bigrams_.counts[word];
  classes_[word] = to;
  return gain;
}

void PredictiveObjective::set_class(std::size_t word, ClassId to) {
  const ClassId own = classes_[word];
  if (own == to) return;
  for_each_context(word, [&](std::size_t row, std::uint32_t n) {
    if (own != no_class) rows_.subtract(row, own, n);
    if (to != no_class) rows_.add(row, to, n);
  });
  if (own != no_class) totals_[static_cast<std::size_t>(own)] -= bigrams_.counts[word];
  if (to != no_class) totals_[static_cast<std::size_t>(to)] += bigrams_.counts[word];
  classes_[word] = to;
}

double PredictiveObjective::from_scratch() const {
  ClassRows rows(row_widths(bigrams_, bidirectional_), class_count_);
  std::vector<std::uint64_t> totals(class_count_);
  for (std::size_t word = 0; word < bigrams_.size(); ++word) {
    if (classes_[word] == no_class) continue;
    totals[static_cast<std::size_t>(classes_[word])] += static_cast<std::uint64_t>(bigrams_.counts[word]);
    for_each_context(word, [&](std::size_t row, std::uint32_t n) { rows.add(row, classes_[word], n); });
  }
  double sum = 0;
  const std::size_t row_count = (bigrams_.size() + 1) * (bidirectional_ ? 2 : 1);
  for (std::size_t row = 0; row < row_count; ++row) {
    if (rows.is_dense(row))
      for (const std::uint32_t count : rows.counts(row)) sum += t_(count);
    else
      for (const ClassRows::Cell& cell : rows.cells(row)) sum += t_(cell.count);
  }
  for (const std::uint64_t total : totals) sum -= (bidirectional_ ? 2 : 1) * t_(total);
  return sum;
}

}  // namespace tunesmith
