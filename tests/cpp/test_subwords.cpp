#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "corpus/subwords.hpp"

using namespace tunesmith;

namespace {

using Words = std::vector<std::string>;

const std::vector<std::string_view> pieces = {"fa@@", "st", "@@", "\xE2\x96\x81go", "\xE2\x96\x81", "a@@b"};

// The words of the sentences, one after the other.
Words joined(const std::vector<std::uint32_t>& ids, const std::vector<std::int64_t>& offsets, SubwordMarks marks) {
  const JoinedWords found = join_pieces(pieces, ids, offsets, marks);
  Words words;
  for (const std::uint32_t id : found.ids) words.emplace_back(found.table.word(static_cast<WordId>(id)));
  return words;
}

}  // namespace

TEST(bpe_pieces_are_joined_within_their_sentence) {
  CHECK((joined({0, 1, 5, 0, 1}, {0, 4, 5}, SubwordMarks::bpe) == Words{"fast", "a@@b", "fa", "st"}));
  CHECK((joined({1, 2, 1, 2}, {0, 4}, SubwordMarks::bpe) == Words{"st", "st"}));
}

TEST(sentencepieces_begin_where_they_are_marked) {
  CHECK((joined({3, 1, 4, 1, 3}, {0, 5}, SubwordMarks::sentencepiece) == Words{"gost", "st", "go"}));
  CHECK((joined({4, 4, 1, 1}, {0, 2, 4}, SubwordMarks::sentencepiece) == Words{"stst"}));
}

TEST(pieces_that_do_not_fit_are_refused) {
  CHECK_THROWS(joined({6}, {0, 1}, SubwordMarks::bpe), Error);
  CHECK_THROWS(joined({0}, {0, 2}, SubwordMarks::bpe), Error);
  CHECK_THROWS(joined({0, 1}, {0, 2, 1, 2}, SubwordMarks::bpe), Error);
}
