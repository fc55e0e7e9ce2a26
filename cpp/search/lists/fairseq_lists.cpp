#include "search/lists/fairseq_lists.hpp"

#include <algorithm>
#include <charconv>

#include "base/words.hpp"
#include "search/lists/nbest_layout.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t most_digits = 18;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// H-17<TAB>…, also H-17_2<TAB>….
struct Tagged {
  char kind = 0;  // 0: the line is of another form
  std::int64_t sentence = 0;
  std::string_view text;
};

Tagged tagged(std::string_view line) {
  if (line.size() < 4 || line[0] < 'A' || line[0] > 'Z' || line[1] != '-') return {};
  const std::size_t digits = digits_at(line, 2);
  std::size_t end = 2 + digits;
  if (digits == 0 || digits > most_digits) return {};
  if (end < line.size() && line[end] == '_') {
    const std::size_t more = digits_at(line, end + 1);
    if (more == 0) return {};
    end += 1 + more;
  }
  if (end >= line.size() || line[end] != '\t') return {};
  Tagged out{line[0], 0, line.substr(end + 1)};
  std::from_chars(line.data() + 2, line.data() + 2 + digits, out.sentence);
  return out;
}

bool same_words(std::string_view one, std::string_view other) {
  if (one == other) return true;
  std::vector<std::string_view> words;
  for_each_word(one, [&](std::string_view word) { words.push_back(word); });
  std::size_t at = 0;
  bool same = true;
  for_each_word(other, [&](std::string_view word) {
    same = same && at < words.size() && words[at] == word;
    ++at;
  });
  return same && at == words.size();
}

std::string name_of(char kind, std::int64_t sentence) {
  return std::string{kind, '-'} + std::to_string(sentence);
}

}  // namespace

void FairseqReader::finish() {
  splitter_.finish([&](std::string_view text) { line(text); });
  end_candidate();
  lists_.finish();
}

void FairseqReader::line(std::string_view text) {
  const Tagged read = tagged(text);
  switch (read.kind) {
    case 0:
      if (text.size() > 2 && (text[0] == 'H' || text[0] == 'D' || text[0] == 'P') && text[1] == '-' &&
          is_digit(text[2])) {
        if (text[0] == 'H') end_candidate();  // what follows is not of the candidate before
        throw Error(quoted(text) + "; expected a number, a tabulator and more");
      }
      return;
    case 'S':
    case 'T':
      texts_.push_back({read.sentence, read.kind == 'T', std::string(read.text)});
      return;
    case 'H':
      return begin_candidate(read.sentence, read.text);
    case 'D':
    case 'P':
    case 'A':
      return part(read.kind, read.sentence, read.text);
    default:
      return;
  }
}

void FairseqReader::begin_candidate(std::int64_t sentence, std::string_view text) {
  end_candidate();
  dropped_ = sentence;  // unless all is well
  const std::size_t tab = std::min(text.find('\t'), text.size());
  score_ = value_of(trimmed(text.substr(0, tab)), "the score");
  words_.assign(text.substr(std::min(tab + 1, text.size())));
  line_ = splitter_.lines();
  open_ = sentence;
  dropped_ = none;
}

FairseqReader::Piece& FairseqReader::piece(char kind) {
  return kind == 'D' ? detokenized_ : kind == 'P' ? word_scores_ : alignment_;
}

// A line that belongs to the H line before it; where that was left out, so is this.
void FairseqReader::part(char kind, std::int64_t sentence, std::string_view text) {
  if (open_ == none && dropped_ == sentence) return;
  Piece& found = piece(kind);
  if (open_ != sentence || found.given)
    throw Error(name_of(kind, sentence) + " does not follow an " + name_of('H', sentence) +
                ", to which it would belong");
  if (kind == 'D') text.remove_prefix(std::min(text.find('\t'), text.size() - 1) + 1);
  found.set(text);
}

// An error in a candidate names the line where it began, not the line that is read now.
void FairseqReader::end_candidate() {
  if (open_ != none) {
    try {
      add_candidate();
    } catch (const Error& error) {
      bad_.add(line_, error.what());
    }
  }
  open_ = none;
  detokenized_.given = word_scores_.given = alignment_.given = false;
}

void FairseqReader::add_candidate() {
  double sum = 0;
  if (word_scores_.given)
    for_each_word(word_scores_.text,
                  [&](std::string_view word) { sum += value_of(word, "the word score").value; });
  for_each_word(words_, [&](std::string_view word) {
    if (word == field_separator) throw Error("the word ||| separates fields and cannot be one of a translation");
  });
  lists_.check_sentence(open_);
  const TextValue logprob = number_value(sum, "the sum of the word scores");
  lists_.value(lists_.feature("score"), score_);
  if (word_scores_.given) lists_.value(lists_.feature("logprob"), logprob);
  lists_.end_candidate(open_);
  const std::string& words = detokenized_.given ? detokenized_.text : words_;
  lists_.add_words(words);
  lists_.add_score(score_.value);
  bool any = false;
  const auto keep = [&](std::string_view label, std::string_view text) {
    if (any) lists_.add_rest(field_separator);
    lists_.add_rest(label);
    lists_.add_rest(text);
    any = true;
  };
  if (!same_words(words, words_)) keep("H=", words_);
  if (word_scores_.given) keep("P=", word_scores_.text);
  if (alignment_.given) keep("A=", alignment_.text);
  lists_.end_rest();
}

}  // namespace tunesmith
