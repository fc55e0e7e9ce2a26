#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "corpus/vocab.hpp"

using namespace tunesmith;

namespace {

using Lines = std::vector<std::string_view>;

Vocabulary chosen(const Lines& lines, std::optional<std::int64_t> limit = {}, std::int64_t min_count = 1) {
  WordCounter counter;
  counter.add(lines);
  return counter.choose(limit, min_count);
}

std::vector<std::string> words_of(const Vocabulary& vocab) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < vocab.size(); ++i) words.emplace_back(vocab.word(static_cast<std::int64_t>(i)));
  return words;
}

}  // namespace

TEST(vocab_orders_by_count_then_bytes) {
  const auto vocab = chosen({"b a c b", "é c z"});
  CHECK((words_of(vocab) == std::vector<std::string>{"<unk>", "<s>", "</s>", "b", "c", "a", "z", "é"}));
  CHECK((vocab.counts() == std::vector<std::int64_t>{0, 0, 0, 2, 2, 1, 1, 1}));
}

TEST(vocab_counts_what_it_leaves_out_as_unknown) {
  CHECK((chosen({"a a a b b c"}, 1).counts() == std::vector<std::int64_t>{3, 0, 0, 3}));
  CHECK((chosen({"a a a b b c"}, {}, 2).counts() == std::vector<std::int64_t>{1, 0, 0, 3, 2}));
  CHECK((chosen({"a a a b b c"}, 0).counts() == std::vector<std::int64_t>{6, 0, 0}));
}

TEST(special_words_in_the_text_are_counted_as_themselves) {
  const auto vocab = chosen({"<s> a </s> <unk> <s>"});
  CHECK((vocab.counts() == std::vector<std::int64_t>{1, 2, 1, 1}));
}

TEST(encoding_is_the_same_on_any_number_of_threads) {
  const Lines lines = {"a b", "", "x a", "  ", "b b b", "c"};
  const auto vocab = chosen({"a b c"});
  const EncodedLines once = vocab.encode(lines, 1);
  CHECK((once.ids == std::vector<WordId>{3, 4, 0, 3, 4, 4, 4, 5}));
  CHECK((once.offsets == std::vector<std::int64_t>{0, 2, 2, 4, 4, 7, 8}));
  for (const int threads : {0, 2, 3, 50}) {
    const EncodedLines again = vocab.encode(lines, threads);
    CHECK(again.ids == once.ids);
    CHECK(again.offsets == once.offsets);
  }
  CHECK((vocab.encode({}, 4).offsets == std::vector<std::int64_t>{0}));
}

TEST(decoding_joins_words_by_one_space) {
  const auto vocab = chosen({"a b c"});
  const auto encoded = vocab.encode(Lines{" a  z", "", "b"}, 1);
  CHECK((vocab.decode(encoded.ids, encoded.offsets) == std::vector<std::string>{"a <unk>", "", "b"}));
}

TEST(many_words_are_all_found_again) {
  // Far beyond the first size of the table, with words that share prefixes and lengths.
  std::vector<std::string> words;
  for (int i = 0; i < 20000; ++i) words.push_back("word" + std::to_string(i));
  WordTable table;
  for (std::size_t i = 0; i < words.size(); ++i) CHECK(table.add(words[i]) == static_cast<WordId>(i));
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(table.find(words[i]) == static_cast<WordId>(i));
    CHECK(table.add(words[i]) == static_cast<WordId>(i));
    CHECK(table.word(static_cast<WordId>(i)) == words[i]);
  }
  CHECK(table.find("word") == WordTable::none);
  CHECK(table.find("word20000") == WordTable::none);
  CHECK(table.find("") == WordTable::none);
}

TEST(a_bad_vocabulary_is_refused) {
  const auto make = [](Lines words, std::vector<std::int64_t> counts) {
    return Vocabulary(words, std::move(counts)).size();
  };
  CHECK(make({"<unk>", "<s>", "</s>"}, {0, 0, 0}) == 3);
  CHECK_THROWS(make({}, {}), Error);
  CHECK_THROWS(make({"<unk>", "</s>", "<s>"}, {0, 0, 0}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", "a", "a"}, {0, 0, 0, 1, 1}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", "<s>"}, {0, 0, 0, 1}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", ""}, {0, 0, 0, 1}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", "a b"}, {0, 0, 0, 1}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", "a "}, {0, 0, 0, 1}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", "a"}, {0, 0, 0, -1}), Error);
  CHECK_THROWS(make({"<unk>", "<s>", "</s>", "a"}, {0, 0, 0}), Error);
  CHECK_THROWS(chosen({"a"}, -1), Error);
}

TEST(bad_ids_and_offsets_are_refused) {
  const auto vocab = chosen({"a"});
  using Ids = std::vector<WordId>;
  using Offsets = std::vector<std::int64_t>;
  CHECK(vocab.decode(Ids{3}, Offsets{0, 1}).size() == 1);
  CHECK_THROWS(vocab.decode(Ids{4}, Offsets{0, 1}), Error);
  CHECK_THROWS(vocab.decode(Ids{-1}, Offsets{0, 1}), Error);
  CHECK_THROWS(vocab.decode(Ids{3}, Offsets{}), Error);
  CHECK_THROWS(vocab.decode(Ids{3}, Offsets{0}), Error);
  CHECK_THROWS(vocab.decode(Ids{3}, Offsets{1, 1}), Error);
  CHECK_THROWS(vocab.decode(Ids{3}, Offsets{0, 2}), Error);
  CHECK_THROWS(vocab.decode(Ids{3}, (Offsets{0, 2, -1, 1})), Error);
  CHECK_THROWS(vocab.word(4), Error);
  CHECK_THROWS(vocab.word(-1), Error);
}
