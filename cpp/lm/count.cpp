#include "lm/count.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/words.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {
namespace {

RecordSorter make_sorter(int order, std::size_t bytes, const std::string& folder, int threads) {
  return RecordSorter(static_cast<std::size_t>(order), 2, RecordSorter::Equal::sum, bytes, folder, threads);
}

}  // namespace

NgramCounter::NgramCounter(int order, SpecialWords special, std::size_t bytes, const std::string& folder,
                           int threads)
    : order_(order),
      special_(special),
      bytes_(bytes),
      folder_(folder),
      threads_(threads),
      sorter_(make_sorter(std::clamp(order, 1, max_order), bytes, folder, threads)) {
  if (order < 1 || order > max_order)
    throw Error("the order is " + std::to_string(order) + "; 1 to " + std::to_string(max_order) + " is possible");
  for (const std::string_view word : special_words) words_.add(word);
  occurrences_.resize(words_.size());
}

void NgramCounter::add(std::span<const std::string_view> lines) {
  if (is_sorted_) throw Error("the n-grams are counted already; no line can be added");
  for (const std::string_view line : lines) add_line(line);
}

void NgramCounter::add_line(std::string_view line) {
  const auto before = static_cast<std::size_t>(order_ - 1);
  std::uint32_t history[max_order];  // the words to the left, nearest first
  std::fill(history, history + before, sentence_begin);
  const auto add_word = [&](std::uint32_t word) {
    std::uint32_t* record = sorter_.append();
    std::copy(history, history + before, record);
    record[before] = word;
    record[before + 1] = 1;
    record[before + 2] = 0;
    if (before == 0) return;
    std::copy_backward(history, history + before - 1, history + before);
    history[0] = word;
  };
  ++sentences_;
  for_each_word(line, [&](std::string_view text) {
    auto word = static_cast<std::uint32_t>(words_.add(text));
    if (word <= sentence_end) {
      if (special_ == SpecialWords::error)
        throw LineError(static_cast<std::int64_t>(sentences_),
                        std::string(text) +
                            " is a word of the text, but it is kept for the model. Remove it, or say how it is "
                            "meant: --special skip (as if it were a space) or --special unknown");
      if (special_ == SpecialWords::skip) return;
      word = unknown;
    }
    if (word == occurrences_.size()) occurrences_.push_back(0);
    ++occurrences_[word];
    ++tokens_;
    add_word(word);
  });
  add_word(sentence_end);
}

void NgramCounter::limit_vocabulary(std::size_t limit) {
  if (is_sorted_) throw Error("the n-grams are counted already; the vocabulary is fixed");
  constexpr std::size_t special = std::size(special_words);
  if (words_.size() - special <= limit) return;
  std::vector<std::uint32_t> frequent(words_.size() - special);
  std::iota(frequent.begin(), frequent.end(), static_cast<std::uint32_t>(special));
  std::nth_element(frequent.begin(), frequent.begin() + static_cast<std::ptrdiff_t>(limit), frequent.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return occurrences_[a] != occurrences_[b] ? occurrences_[a] > occurrences_[b] : a < b;
                   });
  frequent.resize(limit);
  std::sort(frequent.begin(), frequent.end());
  std::vector<std::uint32_t> new_number(words_.size(), unknown);
  std::iota(new_number.begin(), new_number.begin() + special, 0u);
  WordTable kept;
  for (const std::string_view word : special_words) kept.add(word);
  for (const std::uint32_t word : frequent)
    new_number[word] = static_cast<std::uint32_t>(kept.add(words_.word(static_cast<WordId>(word))));
  types_left_out_ = words_.size() - kept.size();
  words_ = std::move(kept);

  // Two sorters are alive here; each gets half of the memory.
  RecordSorter old = std::exchange(sorter_, make_sorter(order_, bytes_ / 2, folder_, threads_));
  const auto key = static_cast<std::size_t>(order_);
  for (old.sort(bytes_ / 2); const std::uint32_t* from = old.head(); old.advance()) {
    std::uint32_t* record = sorter_.append();
    for (std::size_t i = 0; i < key; ++i) record[i] = new_number[from[i]];
    std::copy(from + key, from + key + 2, record + key);
  }
}

RecordSorter NgramCounter::take_sorted() {
  if (is_sorted_) throw Error("the counts were handed over already");
  is_sorted_ = true;
  sorter_.sort();
  return std::move(sorter_);
}

WordTable NgramCounter::take_words() {
  return std::move(words_);
}

}  // namespace tunesmith::lm
