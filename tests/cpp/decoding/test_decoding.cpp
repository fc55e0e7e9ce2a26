#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>

#include "check.hpp"
#include "decoding/candidate_arrays.hpp"
#include "decoding/chart/arena.hpp"
#include "decoding/decoder.hpp"
#include "decoding/heap.hpp"
#include "decoding/hiero/hiero_search.hpp"
#include "features/search/language_model.hpp"
#include "grammar/tables/rule_trie.hpp"
#include "grammar/tables/side_lookup.hpp"
#include "lm/arpa_reader.hpp"
#include "toy_model.hpp"

using namespace tunesmith;
using toy::Side, toy::Toy, toy::vocabulary;

namespace {

TEST(heap_gives_the_first_entry_whatever_was_done_before) {
  std::mt19937 random(7);
  Heap<int, std::less<>> heap;
  std::multiset<int> wanted;
  for (int i = 0; i < 50; ++i) {
    const int entry = static_cast<int>(random() % 40);
    heap.append(entry);
    wanted.insert(entry);
  }
  heap.arrange();
  for (int i = 0; i < 3000; ++i) {
    const int entry = static_cast<int>(random() % 40);
    const unsigned what = random() % 4;
    if (wanted.empty() || what == 0) {
      heap.push(entry);
      wanted.insert(entry);
    } else {
      wanted.erase(wanted.begin());
      if (what == 1) {
        heap.replace_top(entry);
        wanted.insert(entry);
      } else {
        heap.pop();
      }
    }
    CHECK(heap.size() == wanted.size() && heap.empty() == wanted.empty());
    if (!wanted.empty()) CHECK(heap.top() == *wanted.begin());
  }
}

TEST(blocks_keep_their_rows_where_they_are) {
  Blocks<int> rows(3);
  for (int round = 0; round < 2; ++round) {
    const int count = 40000;
    const int* first = nullptr;
    for (int i = 0; i < count; ++i) {
      int* row = rows.append();
      if (i == 0) first = row;
      for (int at = 0; at < 3; ++at) row[at] = 3 * i + at + round;
    }
    CHECK(rows.size() == count && rows[0] == first);
    for (int i = 0; i < count; i += 997) CHECK(rows[static_cast<std::size_t>(i)][2] == 3 * i + 2 + round);
    rows.clear();
    CHECK(rows.size() == 0);
  }
}

TEST(an_arena_keeps_no_more_than_it_used) {
  Arena arena;
  std::size_t most = 0;
  for (std::size_t round = 1; round <= 30; ++round) {
    arena.clear();
    // Larger pieces come earlier from round to round: none of the small blocks may be passed over for them.
    for (std::size_t i = 0; i < 40; ++i) {
      const std::size_t bytes = i + round == 31 ? Arena::block_size + 4096 * round : Arena::block_size / 2;
      std::byte* piece = arena.take(bytes);
      piece[0] = piece[bytes - 1] = std::byte{1};
    }
    most = std::max(most, arena.used());
    CHECK(arena.used() >= 39 * Arena::block_size / 2);
    CHECK(arena.reserved() <= most + Arena::block_size);
  }
}

TEST(no_estimate_of_a_language_model_is_more_than_it_says) {
  const Vocabulary words = vocabulary("ABCDE");
  // A back-off of 1000, which no distribution has; files of other tools have all kinds of them.
  lm::ArpaReader reader;
  reader.add(
      "\\data\\\nngram 1=5\nngram 2=1\n\n\\1-grams:\n-2\t<unk>\n0\t<s>\t3\n-1\t</s>\n-1\tA\t3\n-1\tB\t3\n\n"
      "\\2-grams:\n-0.5\tA B\n\n\\end\\\n");
  LanguageModelFeature feature("lm", std::make_shared<lm::Model>(reader.finish()), words, 0);
  const Sentence sentence;
  for (const double weight : {0.0, 0.7, -0.7}) {
    feature.set_weights(std::vector{weight});
    for (std::int32_t first = 3; first < 8; ++first)
      for (std::int32_t second = 3; second < 8; ++second) {
        const std::vector<std::int32_t> symbols{first, -1, second, first};
        const TargetSide side{symbols, static_cast<std::uint32_t>(words.size()), Join::rule};
        CHECK(feature.estimate(sentence, side, nullptr) <= feature.most_estimate(symbols.size(), nullptr));
      }
  }
}

TEST(lists_of_nothing_are_refused) {
  const Toy toy(1);
  Decoder decoder(toy.model(), {});
  const std::vector<std::string_view> lines{"a b"};
  DecodeRequest empty;
  empty.k = 0;
  CHECK_THROWS(decoder.decode(lines, empty, 1), Error);
}

TEST(trie_finds_every_side_and_nothing_else) {
  const Toy toy(1);
  const RuleTrie trie(toy.source_symbols, toy.source_offsets, toy.source.size());
  const auto find = [&](const Side& side) {
    RuleTrie::Node node = RuleTrie::root;
    for (const std::int32_t symbol : side) {
      node = symbol < 0 ? trie.gap(node) : trie.child(node, static_cast<std::uint32_t>(symbol));
      if (node == RuleTrie::none) return RuleTrie::none;
    }
    return trie.side(node);
  };
  for (std::uint32_t at = 0; at < toy.sides.size(); ++at) CHECK(find(toy.sides[at]) == at);
  for (std::int32_t a = 3; a < 7; ++a)
    for (std::int32_t b = 3; b < 7; ++b) {
      const bool there = std::binary_search(toy.sides.begin(), toy.sides.end(), Side{a, b});
      CHECK((find({a, b}) != RuleTrie::none) == there);
    }
  CHECK(find({1000000}) == RuleTrie::none);
}

TEST(lookup_finds_the_sides_that_a_trie_finds) {
  std::mt19937 random(3);
  std::set<Side> sorted;
  while (sorted.size() < 300) {
    Side side(1 + random() % 4);
    for (std::int32_t& word : side) word = 3 + static_cast<std::int32_t>(random() % 6);
    sorted.insert(side);
  }
  Side symbols;
  std::vector<std::uint64_t> offsets{0};
  for (const Side& side : sorted) {
    symbols.insert(symbols.end(), side.begin(), side.end());
    offsets.push_back(symbols.size());
  }
  const RuleTrie trie(symbols, offsets, 9);
  SideLookup lookup(symbols, offsets);
  CHECK(lookup.size() == 1);  // nothing is made before it is asked for
  for (int trial = 0; trial < 20000; ++trial) {
    RuleTrie::Node node = RuleTrie::root;
    SideLookup::Node found = SideLookup::root;
    for (int at = 0; at < 5 && node != RuleTrie::none; ++at) {
      const auto word = static_cast<std::uint32_t>(random() % 10);
      node = trie.child(node, word);
      found = lookup.child(found, word);
      CHECK((node == RuleTrie::none) == (found == SideLookup::none));
      if (node != RuleTrie::none) CHECK(trie.side(node) == lookup.side(found));
    }
    lookup.refresh();
  }
  CHECK(lookup.size() <= trie.size());  // as far as it was asked for
  CHECK_THROWS(SideLookup(Side{3, 4}, std::vector<std::uint64_t>{}), Error);
  const Side shuffled{5, 7, 6, 9, 5, 9, 5, 10};  // not in order: 6 9 must not be taken for 5 9
  const std::vector<std::uint64_t> pairs{0, 2, 4, 6, 8};
  SideLookup out_of_order(shuffled, pairs);
  const SideLookup::Node five = out_of_order.child(SideLookup::root, 5);
  CHECK(five != SideLookup::none);
  CHECK_THROWS(out_of_order.child(five, 9), Error);
  const std::vector<std::uint64_t> outside{0, 5}, falling{2, 0};
  const Side two{3, 4};
  CHECK_THROWS(SideLookup(two, outside).child(SideLookup::root, 3), Error);
  CHECK_THROWS(SideLookup(two, falling).child(SideLookup::root, 3), Error);
}

TEST(trie_refuses_damaged_sides) {
  const std::vector<std::uint64_t> one{0, 2};
  CHECK_THROWS(RuleTrie(Side{3, 99}, one, 7), Error);
  CHECK_THROWS(RuleTrie(Side{-2, 3}, one, 7), Error);
  CHECK_THROWS(RuleTrie(Side{3, 4}, std::vector<std::uint64_t>{0, 5}, 7), Error);
  CHECK_THROWS(RuleTrie(Side{3, 4}, std::vector<std::uint64_t>{0, 0}, 7), Error);
  CHECK_THROWS(RuleTrie(Side{4, 3}, std::vector<std::uint64_t>{0, 1, 2}, 7), Error);
  CHECK_THROWS(RuleTrie(Side{4, 4}, std::vector<std::uint64_t>{0, 1, 2}, 7), Error);
}

TEST(decoding_is_the_same_for_every_number_of_threads) {
  const Toy toy(2);
  std::vector<std::string> lines{"", "a", "x y z", "a b c d a b c d", std::string(600, ' ') + "a x b"};
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    std::string line;
    for (unsigned length = random() % 12; length-- > 0;) line += std::string(1, "abcdx"[random() % 5]) + " ";
    lines.push_back(line);
  }
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  CandidateArrays first;
  for (const int threads : {1, 3}) {
    Decoder decoder(toy.model(), {.pop_limit = 10, .own = {{"max_span", 5}}});
    decoder.set_weights({1.0});
    FeatureIndex index;
    index.add("dense");
    std::vector<Decoded> found = decoder.decode(views, {.k = 5}, threads);
    decoder.number_sparse(found, index, true);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].derivations.size() >= 1);
      validate(found[i].graph);
      alignment_of(found[i], decoder.model(), 0);
      CHECK(text_of(found[i], decoder.model(), 0).empty() == found[i].words.empty());
    }
    const CandidateArrays arrays = candidate_arrays(found, decoder.model());
    if (threads == 1) first = arrays;
    CHECK(arrays.scores == first.scores);
    CHECK(arrays.rules == first.rules);
    CHECK(arrays.pair_ids == first.pair_ids);
    CHECK(arrays.words == first.words);
    CHECK(arrays.new_words == first.new_words);
  }
}

TEST(damaged_rules_are_errors_when_they_are_used) {
  const auto decode = [](const Toy& toy) {
    Decoder decoder(toy.model(), {.pop_limit = 10});
    const std::vector<std::string_view> lines{"a b c d a c b d"};
    return decoder.decode(lines, {.k = 3}, 1).size();
  };
  CHECK(decode(Toy(4)) == 1);
  Toy wrong_word(4), wrong_gap(4), wrong_offset(4), wrong_rules(4);
  for (std::int32_t& symbol : wrong_word.target_symbols) symbol = symbol >= 0 ? 1000 : symbol;
  for (std::int32_t& symbol : wrong_gap.target_symbols) symbol = -2;
  for (std::uint64_t& offset : wrong_offset.target_offsets) offset = ~offset;
  for (std::uint64_t& rules : wrong_rules.source_rules) rules += 1000;
  CHECK_THROWS(decode(wrong_word), Error);
  CHECK_THROWS(decode(wrong_gap), Error);
  CHECK_THROWS(decode(wrong_offset), Error);
  CHECK_THROWS(decode(wrong_rules), Error);
}

}  // namespace
