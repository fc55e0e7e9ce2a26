#include "metrics/ter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/words.hpp"
#include "metrics/sentence_numbers.hpp"

namespace tunesmith {
namespace {

constexpr int longest_shift = 10, farthest_shift = 50, least_beam = 25, most_shifts = 1000;
constexpr std::int32_t unreached = std::numeric_limits<std::int32_t>::max() / 2;

}  // namespace

// Larger gain, then longer, then from further left, then to further left.
bool EditCounter::Shift::better_than(const Shift& other) const {
  return std::tuple(gain, length, -start, -target) >
         std::tuple(other.gain, other.length, -other.start, -other.target);
}

int EditCounter::count(std::span<const WordId> hypothesis, std::span<const WordId> reference) {
  if (reference.empty()) return static_cast<int>(hypothesis.size());
  reference_ = reference;
  words_.assign(hypothesis.begin(), hypothesis.end());
  columns_ = reference.size() + 1;
  matrix_.resize((words_.size() + 1) * columns_);
  rows_.resize(2 * columns_);
  ratio_ = words_.empty() ? 1.0 : static_cast<double>(reference.size()) / static_cast<double>(words_.size());
  // With very different lengths a narrow beam would miss the row before.
  beam_ = least_beam < ratio_ / 2 ? static_cast<int>(std::ceil(ratio_ / 2 + least_beam)) : least_beam;
  for (std::size_t column = 0; column < columns_; ++column)
    matrix_[column] = {static_cast<std::int32_t>(column), 'i'};
  fill_matrix(0);

  int shifts = 0;
  for (int checked = 0;;) {
    const Shift best = best_shift(checked);
    if (checked >= most_shifts || best.gain <= 0) break;
    shift_words(best.start, best.length, best.target);
    words_.swap(shifted_);
    fill_matrix(static_cast<std::size_t>(std::min(best.start, best.target)));
    ++shifts;
  }
  return shifts + matrix_.back().cost;
}

// Computes the rows after `from`.
void EditCounter::fill_matrix(std::size_t from) {
  for (std::size_t row = from + 1; row <= words_.size(); ++row)
    next_row(words_, row, row_at(row - 1), row_at(row));
}

// The edits that turn the first `row` words into each beginning of the reference, near the diagonal.
void EditCounter::next_row(std::span<const WordId> words, std::size_t row, const Cell* before, Cell* out) const {
  const int diagonal = static_cast<int>(std::floor(static_cast<double>(row) * ratio_));
  const auto first = static_cast<std::size_t>(std::max(0, diagonal - beam_));
  auto end = static_cast<std::size_t>(std::min(static_cast<int>(columns_), diagonal + beam_));
  if (row == words.size()) end = columns_;
  std::fill(out, out + std::min(first, columns_), Cell{unreached, 'x'});
  const WordId word = words[row - 1];
  for (std::size_t column = first; column < end; ++column) {
    if (column == 0) {
      out[0] = {before[0].cost + 1, 'd'};
      continue;
    }
    // Among equal ways a match or substitution counts first, then a deletion, then an insertion.
    const bool same = word == reference_[column - 1];
    Cell best{unreached, 'x'};
    const auto offer = [&](std::int32_t cost, char operation) {
      if (best.cost > cost) best = {cost, operation};
    };
    offer(before[column - 1].cost + (same ? 0 : 1), same ? ' ' : 's');
    offer(before[column].cost + 1, 'd');
    if (column > first) offer(out[column - 1].cost + 1, 'i');
    out[column] = best;
  }
  std::fill(out + std::clamp(end, std::min(first, columns_), columns_), out + columns_, Cell{unreached, 'x'});
}

// Follows the edits back: which word each reference word is at, and which words are in error.
void EditCounter::align() {
  const std::size_t size = words_.size();
  aligned_.assign(reference_.size(), -1);
  hypothesis_errors_.assign(size + 1, 0);
  reference_errors_.assign(reference_.size() + 1, 0);
  std::size_t row = size, column = reference_.size();
  while (row > 0 || column > 0) {
    const char operation = row_at(row)[column].operation;
    if (operation == 'x') throw Error("no edits lead from the hypothesis to the reference");
    const int wrong = operation == ' ' ? 0 : 1;
    if (operation != 'd') {  // a reference word; an inserted one is at the last word before it
      aligned_[column - 1] = static_cast<int>(row) - 1;
      reference_errors_[column] = wrong;
      --column;
    }
    if (operation != 'i') {
      hypothesis_errors_[row] = wrong;
      --row;
    }
  }
  for (std::size_t at = 0; at < size; ++at) hypothesis_errors_[at + 1] += hypothesis_errors_[at];
  for (std::size_t at = 0; at < reference_.size(); ++at) reference_errors_[at + 1] += reference_errors_[at];
}

// The best shift of words to where the reference has them, both in error now.
EditCounter::Shift EditCounter::best_shift(int& checked) {
  align();
  const int size = static_cast<int>(words_.size()), reference_size = static_cast<int>(reference_.size());
  const int now = matrix_.back().cost;
  Shift best{0, 0, 0, 0};
  bool found = false;
  const auto word_at = [&](int at) { return words_[static_cast<std::size_t>(at)]; };
  const auto reference_at = [&](int at) { return reference_[static_cast<std::size_t>(at)]; };
  const auto errors = [](const std::vector<int>& sums, int begin, int length) {
    return sums[static_cast<std::size_t>(begin + length)] - sums[static_cast<std::size_t>(begin)];
  };
  for (int start = 0; start < size; ++start)
    for (int at = std::max(0, start - farthest_shift); at < std::min(reference_size, start + farthest_shift + 1);
         ++at)
      for (int length = 1; length <= longest_shift && start + length <= size && at + length <= reference_size &&
                           word_at(start + length - 1) == reference_at(at + length - 1);
           ++length) {
        if (errors(hypothesis_errors_, start, length) == 0 || errors(reference_errors_, at, length) == 0) continue;
        const int here = aligned_[static_cast<std::size_t>(at)];
        if (start <= here && here < start + length) continue;  // a shift inside of itself
        int tried = -1;
        for (int offset = -1; offset < length; ++offset) {
          const int target = at + offset == -1 ? 0 : aligned_[static_cast<std::size_t>(at + offset)] + 1;
          if (target == tried) continue;
          tried = target;
          const Shift shift{now - shifted_distance(start, length, target), length, start, target};
          ++checked;
          if (!found || shift.better_than(best)) best = shift;
          found = true;
        }
        if (checked >= most_shifts) return best;
      }
  return best;
}

// Writes the words with `length` of them, from `start` on, moved to `target` into `shifted_`.
void EditCounter::shift_words(int start, int length, int target) {
  const auto begin = words_.begin();
  shifted_.clear();
  const auto put = [&](int from, int to) {
    shifted_.insert(shifted_.end(), begin + std::min(from, static_cast<int>(words_.size())),
                    begin + std::min(std::max(from, to), static_cast<int>(words_.size())));
  };
  const int end = static_cast<int>(words_.size());
  if (target < start) {
    put(0, target), put(start, start + length), put(target, start), put(start + length, end);
    return;
  }
  // A target within the words or just after them counts from their end.
  const int after = target > start + length ? target : length + target;
  put(0, start), put(start + length, after), put(start, start + length), put(after, end);
}

// Edits that are left after the shift.
int EditCounter::shifted_distance(int start, int length, int target) {
  shift_words(start, length, target);
  const auto from = static_cast<std::size_t>(std::min(start, target));
  const Cell* before = row_at(from);
  for (std::size_t row = from + 1; row <= shifted_.size(); ++row) {
    Cell* out = rows_.data() + (row % 2) * columns_;
    next_row(shifted_, row, before, out);
    before = out;
  }
  return before[columns_ - 1].cost;
}

void TerReferences::add(std::span<const std::string_view> references) {
  if (references.empty()) throw Error("sentence " + std::to_string(size()) + " has no reference");
  for (const std::string_view reference : references) {
    for_each_word(reference, [&](std::string_view word) { words_.push_back(vocabulary_.add(word)); });
    ends_.push_back(words_.size());
  }
  begins_.push_back(ends_.size() - 1);
}

void TerReferences::statistics(std::span<const std::string_view> hypotheses,
                               std::span<const std::int64_t> sentences, int threads, std::span<double> out) const {
  check_rows(hypotheses.size(), sentences, size(), 2, out.size());
  parallel_ranges(hypotheses.size(), threads, [&](std::size_t begin, std::size_t end) {
    EditCounter counter;
    std::vector<WordId> words;
    for (std::size_t i = begin; i < end; ++i) {
      words.clear();
      for_each_word(hypotheses[i], [&](std::string_view word) { words.push_back(vocabulary_.find(word)); });
      const auto sentence = static_cast<std::size_t>(sentences[i]);
      int least = std::numeric_limits<int>::max();
      for (std::size_t reference = begins_[sentence]; reference < begins_[sentence + 1]; ++reference) {
        const std::span<const WordId> all = words_;
        least = std::min(
            least, counter.count(words, all.subspan(ends_[reference], ends_[reference + 1] - ends_[reference])));
      }
      const std::size_t first = begins_[sentence], last = begins_[sentence + 1];
      out[2 * i] = least;
      out[2 * i + 1] = static_cast<double>(ends_[last] - ends_[first]) / static_cast<double>(last - first);
    }
  });
}

}  // namespace tunesmith
