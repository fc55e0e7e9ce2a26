#include "metrics/chrf.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/words.hpp"
#include "metrics/ngram_matcher.hpp"
#include "metrics/sentence_numbers.hpp"

namespace tunesmith {
namespace {

// Writes the characters of the text with a space after each; white space is left out.
void spell(std::string_view text, std::string& out) {
  out.clear();
  for_each_word(text, [&](std::string_view word) {
    for (const char byte : word) {
      if ((static_cast<unsigned char>(byte) & 0xC0u) != 0x80u && !out.empty()) out += ' ';
      out += byte;
    }
  });
}

bool is_punctuation(char byte) {
  return std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~").find(byte) != std::string_view::npos;
}

// Writes the words with a space after each, punctuation at their end or else at their beginning apart.
void split_punctuation(std::string_view text, std::string& out) {
  out.clear();
  for_each_word(text, [&](std::string_view word) {
    std::size_t cut = word.size();
    if (word.size() > 1) {
      if (is_punctuation(word.back()))
        cut = word.size() - 1;
      else if (is_punctuation(word.front()))
        cut = 1;
    }
    out.append(word.substr(0, cut)).append(1, ' ').append(word.substr(cut)).append(1, ' ');
  });
}

// The F-score of a row, computed in the order of sacrebleu's operations, so that ties are its ties.
double f_score(std::span<const double> row, double beta) {
  const double factor = beta * beta;
  double precision = 0, recall = 0;
  int orders = 0;
  for (std::size_t at = 0; at < row.size(); at += 3) {
    if (row[at] <= 0 || row[at + 1] <= 0) continue;
    precision += row[at + 2] / row[at];
    recall += row[at + 2] / row[at + 1];
    ++orders;
  }
  if (orders == 0) return 0.0;
  precision /= orders;
  recall /= orders;
  if (precision + recall == 0) return 0.0;
  return 100.0 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

// Number of n-grams of an order in a text of this number of units.
double ngrams(std::size_t units, std::size_t n) {
  return units >= n ? static_cast<double>(units - n + 1) : 0.0;
}

}  // namespace

// Counts the n-grams of one hypothesis after the other; one for each thread.
class ChrfReferences::Counter {
 public:
  explicit Counter(const ChrfReferences& references) : all_(references), characters_(references.characters_) {
    if (references.words_) words_.emplace(*references.words_);
  }

  // Writes the row of the best reference.
  void count(std::string_view hypothesis, std::size_t sentence, std::span<double> row) {
    spell(hypothesis, spelt_);
    if (words_) split_punctuation(hypothesis, split_);
    row_.resize(row.size());
    double best = -1.0;
    for (std::size_t reference = all_.begins_[sentence]; reference < all_.begins_[sentence + 1]; ++reference) {
      const auto used = fill(all_.characters_, characters_, spelt_, reference, row_.data());
      if (words_) fill(*all_.words_, *words_, split_, reference, row_.data() + used);
      const double score = f_score(row_, all_.options_.beta);
      if (score <= best) continue;
      best = score;
      std::copy(row_.begin(), row_.end(), row.begin());
    }
  }

 private:
  // Writes three numbers of each order; returns how many were written.
  std::size_t fill(const ReferenceNgrams& ngrams_of, ReferenceNgrams::Matcher& matcher, std::string_view text,
                   std::size_t reference, double* row) {
    const auto order = static_cast<std::size_t>(ngrams_of.order());
    matches_.resize(order);
    const std::size_t length = matcher.match(reference, text, matches_.data(), false);
    const std::size_t reference_length = ngrams_of.lengths(reference).front();
    for (std::size_t n = 1; n <= order; ++n, row += 3) {
      row[1] = ngrams(reference_length, n);
      row[0] = row[1] > 0 ? ngrams(length, n) : 0.0;
      row[2] = matches_[n - 1];
    }
    return 3 * order;
  }

  const ChrfReferences& all_;
  ReferenceNgrams::Matcher characters_;
  std::optional<ReferenceNgrams::Matcher> words_;
  std::string spelt_, split_;
  std::vector<double> matches_, row_;
};

ChrfReferences::ChrfReferences(const ChrfOptions& options) : options_(options), characters_(options.char_order) {
  if (options.word_order > 0) words_.emplace(options.word_order);
}

void ChrfReferences::add(std::span<const std::string_view> references) {
  if (references.empty()) throw Error("sentence " + std::to_string(size()) + " has no reference");
  std::string text;
  for (const std::string_view reference : references) {
    spell(reference, text);
    std::string_view view = text;
    characters_.add({&view, 1});
    if (!words_) continue;
    split_punctuation(reference, text);
    view = text;
    words_->add({&view, 1});
  }
  begins_.push_back(characters_.size());
}

std::size_t ChrfReferences::width() const {
  return 3 * static_cast<std::size_t>(options_.char_order + options_.word_order);
}

void ChrfReferences::statistics(std::span<const std::string_view> hypotheses,
                                std::span<const std::int64_t> sentences, int threads,
                                std::span<double> out) const {
  check_rows(hypotheses.size(), sentences, size(), width(), out.size());
  parallel_ranges(hypotheses.size(), threads, [&](std::size_t begin, std::size_t end) {
    Counter counter(*this);
    for (std::size_t i = begin; i < end; ++i)
      counter.count(hypotheses[i], static_cast<std::size_t>(sentences[i]), out.subspan(i * width(), width()));
  });
}

}  // namespace tunesmith
