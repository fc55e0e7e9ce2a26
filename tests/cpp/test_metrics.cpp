#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/words.hpp"
#include "check.hpp"
#include "metrics/bleu.hpp"
#include "metrics/ngram_statistics.hpp"

using namespace tunesmith;

namespace {

std::vector<double> row_of(const ReferenceNgrams& references, std::string_view hypothesis,
                           LengthRule length = LengthRule::closest) {
  std::vector<double> row(statistics_width(references.order()));
  const std::string_view hypotheses[] = {hypothesis};
  const std::int64_t sentences[] = {0};
  ngram_statistics(references, hypotheses, sentences, {length, references.has_information(), 1}, row);
  return row;
}

ReferenceNgrams references_of(std::vector<std::string_view> references, int order = 4) {
  ReferenceNgrams all(order);
  all.add(references);
  return all;
}

}  // namespace

TEST(words_are_split_at_unicode_white_space) {
  std::vector<std::string_view> words;
  for_each_word(
      "  a\tb\xC2\xA0"
      "c\xE3\x80\x80\xE6\x88\x91 d\xE2\x80\x89",
      [&](std::string_view w) { words.push_back(w); });
  CHECK((words == std::vector<std::string_view>{"a", "b", "c", "\xE6\x88\x91", "d"}));
  words.clear();
  for_each_word("", [&](std::string_view w) { words.push_back(w); });
  for_each_word(" \r\n", [&](std::string_view w) { words.push_back(w); });
  CHECK(words.empty());
}

TEST(matches_are_clipped_by_the_reference_that_has_most) {
  // Papineni et al. 2002, section 2.1: "the" seven times, at most two in one reference.
  const auto references = references_of({"the cat is on the mat", "there is a cat on the mat"});
  const auto row = row_of(references, "the the the the the the the");
  CHECK((row == std::vector<double>{7, 7, 2, 0, 0, 0, 7, 6, 5, 4}));
}

TEST(the_closest_reference_length_is_the_shorter_of_two_equally_close) {
  const auto references = references_of({"a b c d e", "a b c"});
  CHECK(row_of(references, "a b c d")[1] == 3);
  CHECK(row_of(references, "a b c d e f")[1] == 5);
  CHECK(row_of(references, "a b c d e f", LengthRule::shortest)[1] == 3);
  CHECK(row_of(references, "a b c d e f", LengthRule::average)[1] == 4);
}

TEST(a_repeated_reference_counts_once) {
  const auto padded = references_of({"a b", "a b c d", "a b", "a b"});
  CHECK(padded.reference_count(0) == 2);
  CHECK(row_of(padded, "a", LengthRule::average)[1] == 3);
}

TEST(empty_hypothesis_and_empty_reference_are_counted_as_such) {
  const auto references = references_of({"", "a b"});
  CHECK((row_of(references, "") == std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  CHECK((row_of(references, "x")[1] == 0));
  CHECK(bleu(row_of(references, "").data(), 4, {}) == 0);
  CHECK(bleu_plus_one(row_of(references, "").data(), 4, {}) == 0);
}

TEST(a_perfect_hypothesis_scores_one) {
  const auto references = references_of({"this is a small test"});
  const auto row = row_of(references, "this is a small test");
  CHECK(check::near(bleu(row.data(), 4, {}), 1));
  CHECK(check::near(bleu_plus_one(row.data(), 4, {}), 1));
  CHECK(check::near(bleu_interpolated(row.data(), 4), 1 - 1 / 16.0));
}

TEST(grounded_bleu_plus_one_is_zero_without_a_match) {
  const auto references = references_of({"a b c"});
  const auto row = row_of(references, "x y z");
  CHECK(bleu_plus_one(row.data(), 4, {.smooth_unigrams = true}) > 0);
  CHECK(bleu_plus_one(row.data(), 4, {.smooth_unigrams = true, .grounded = true}) == 0);
}

TEST(ids_of_words_are_counted_as_their_texts_are) {
  ReferenceNgrams references(4);
  references.add(std::vector<std::string_view>{"the cat sat on the mat", "a cat sat"});
  references.add(std::vector<std::string_view>{"internationalisation of a cat"});
  const std::string_view vocabulary[] = {"the", "cat", "sat on", "unheard", "", "internationalisation", "cat"};
  const std::int64_t numbers[] = {0, 1, 3, 4, 6, 7, 9};
  const std::vector<std::uint32_t> ids = {0, 1, 3, 0, 7, 9, 0, 1, 0, 6, 4, 1, 1};
  const std::vector<std::int64_t> offsets = {0, 4, 4, 6, 9, 11, 13}, sentences = {0, 0, 1, 0, 1, 1};
  const std::vector<std::string_view> texts = {"the cat sat on the", "",        "internationalisation cat",
                                               "the cat the",        "unheard", "cat cat"};
  const WordTokens tokens(vocabulary, numbers);
  for (const int threads : {1, 3}) {
    std::vector<double> by_ids(60), by_texts(60);
    ngram_statistics(references, WordIds{ids, offsets, tokens}, sentences, {.threads = threads}, by_ids);
    ngram_statistics(references, texts, sentences, {.threads = threads}, by_texts);
    CHECK(by_ids == by_texts);
  }
}

TEST(bad_arguments_are_refused) {
  CHECK_THROWS(ReferenceNgrams(0), Error);
  CHECK_THROWS(ReferenceNgrams(100), Error);
  ReferenceNgrams none(4);
  CHECK_THROWS(none.add({}), Error);
  const auto references = references_of({"a"});
  std::vector<double> row(10);
  const std::string_view hypotheses[] = {"a"};
  const std::int64_t outside[] = {1};
  CHECK_THROWS(ngram_statistics(references, hypotheses, outside, {}, row), Error);
  const std::int64_t inside[] = {0};
  CHECK_THROWS(ngram_statistics(references, hypotheses, inside, {LengthRule::closest, true, 1}, row), Error);
}
