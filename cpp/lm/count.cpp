#include "lm/count.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/words.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {
namespace {

RecordSorter make_sorter(int order, std::size_t bytes, const std::string& folder, int threads) {
  return RecordSorter(static_cast<std::size_t>(order), 2, RecordSorter::Equal::sum, bytes, folder, threads);
}

// Writes the record of each word of lines, which end with </s>, to the next place.
template <class NextPlace>
void put_records(std::span<const std::uint32_t> words, int order, NextPlace next_place) {
  const auto before = static_cast<std::size_t>(order - 1);
  std::uint32_t history[max_order];  // the words to the left, nearest first
  std::fill(history, history + before, sentence_begin);
  for (const std::uint32_t word : words) {
    std::uint32_t* record = next_place();
    std::copy(history, history + before, record);
    record[before] = word;
    record[before + 1] = 1;
    record[before + 2] = 0;
    if (word == sentence_end) {
      std::fill(history, history + before, sentence_begin);
    } else if (before > 0) {
      std::copy_backward(history, history + before - 1, history + before);
      history[0] = word;
    }
  }
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
  if (is_ended_) throw Error("the n-grams are counted already; no line can be added");
  const std::size_t parts = threads_ > 1 ? static_cast<std::size_t>(threads_) : 1;
  std::vector<Piece> pieces(parts);
  const auto begin_of = [&](std::size_t part) { return lines.size() * part / parts; };
  parallel_each(parts, threads_, [&](std::size_t part) {
    pieces[part] = read(lines.subspan(begin_of(part), begin_of(part + 1) - begin_of(part)));
  });
  std::size_t records = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    Piece& piece = pieces[part];
    if (piece.refused != Piece::none)
      throw LineError(static_cast<std::int64_t>(sentences_ + begin_of(part) + piece.refused + 1),
                      std::string(piece.refused_word) +
                          " is a word of the text, but it is kept for the model. Remove it, or say how it is "
                          "meant: --special skip (as if it were a space) or --special unknown");
    for (const auto& [at, word] : piece.unseen) piece.words[at] = static_cast<std::uint32_t>(words_.add(word));
    occurrences_.resize(words_.size());
    for (const std::uint32_t word : piece.words) ++occurrences_[word];
    records += piece.words.size();
  }
  sentences_ += lines.size();
  tokens_ += records - lines.size();
  std::uint32_t* const place = threads_ > 1 ? sorter_.append(records) : nullptr;
  if (place == nullptr) {
    for (const Piece& piece : pieces) put_records(piece.words, order_, [&] { return sorter_.append(); });
    return;
  }
  std::vector<std::uint32_t*> places{place};
  for (const Piece& piece : pieces) places.push_back(places.back() + piece.words.size() * sorter_.width());
  parallel_each(parts, threads_, [&](std::size_t part) {
    put_records(pieces[part].words, order_,
                [&] { return std::exchange(places[part], places[part] + sorter_.width()); });
  });
}

NgramCounter::Piece NgramCounter::read(std::span<const std::string_view> lines) const {
  Piece piece;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for_each_word(lines[line], [&](std::string_view text) {
      const WordId found = words_.find(text);
      auto word = static_cast<std::uint32_t>(found);
      if (found == WordTable::none) {
        piece.unseen.push_back({piece.words.size(), text});
      } else if (word <= sentence_end) {
        if (special_ == SpecialWords::error && piece.refused == Piece::none) {
          piece.refused = line;
          piece.refused_word = text;
        }
        if (special_ == SpecialWords::skip) return;
        word = unknown;
      }
      piece.words.push_back(word);
    });
    piece.words.push_back(sentence_end);
  }
  return piece;
}

void NgramCounter::limit_vocabulary(std::size_t limit) {
  if (is_ended_) throw Error("the n-grams are counted already; the vocabulary is fixed");
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

RecordSorter NgramCounter::take_ended() {
  if (is_ended_) throw Error("the counts were handed over already");
  is_ended_ = true;
  sorter_.end();
  return std::move(sorter_);
}

WordTable NgramCounter::take_words() {
  return std::move(words_);
}

}  // namespace tunesmith::lm
