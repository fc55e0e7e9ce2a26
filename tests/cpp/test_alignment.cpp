#include <string_view>
#include <vector>

#include "alignment/lexical_table.hpp"
#include "alignment/links.hpp"
#include "alignment/symmetrize.hpp"
#include "base/error.hpp"
#include "check.hpp"

using namespace tunesmith;

namespace {

Alignments one(std::vector<Link> links) {
  Alignments all;
  all.add(std::move(links));
  return all;
}

std::vector<Link> joined(std::vector<Link> forward, std::vector<Link> backward, Symmetrization how) {
  return symmetrize(one(std::move(forward)), one(std::move(backward)), how, 1).links;
}

}  // namespace

TEST(pharaoh_lines_are_read_sorted_and_written) {
  const std::string_view lines[] = {"1-0 0-0 1-0", "", " 12-3\t4-5 "};
  const Alignments read = parse_pharaoh(lines);
  CHECK(read.size() == 3);
  CHECK((format_pharaoh(read) == std::vector<std::string>{"0-0 1-0", "", "4-5 12-3"}));
}

TEST(what_is_no_link_is_refused_with_its_line) {
  for (const std::string_view bad :
       {"0", "0-", "-1", "0-1-2", "a-b", "0--1", "-1-0", "0 - 1", "99999999999-0", "1.0-2"}) {
    const std::string_view lines[] = {"0-0", bad};
    bool caught = false;
    try {
      parse_pharaoh(lines);
    } catch (const LineError& error) {
      caught = error.line == 2;
    }
    CHECK(caught);
  }
}

TEST(growing_takes_neighbours_that_align_a_free_word) {
  // Intersection 0-0; 1-1 is a diagonal neighbour with two free words, 1-0 a neighbour with one.
  const std::vector<Link> forward = {{0, 0}, {1, 1}, {1, 0}}, backward = {{0, 0}, {3, 3}};
  CHECK((joined(forward, backward, Symmetrization::intersection) == std::vector<Link>{{0, 0}}));
  CHECK((joined(forward, backward, Symmetrization::unite) == std::vector<Link>{{0, 0}, {1, 0}, {1, 1}, {3, 3}}));
  CHECK((joined(forward, backward, Symmetrization::grow_diag) == std::vector<Link>{{0, 0}, {1, 0}, {1, 1}}));
  CHECK((joined(forward, backward, Symmetrization::diag_and) == std::vector<Link>{{0, 0}, {1, 1}}));
  CHECK((joined(forward, backward, Symmetrization::grow_diag_final_and) ==
         std::vector<Link>{{0, 0}, {1, 0}, {1, 1}, {3, 3}}));
}

TEST(directions_of_different_length_are_refused) {
  Alignments none;
  CHECK_THROWS(symmetrize(one({}), none, Symmetrization::unite, 1), Error);
}

TEST(lexical_probabilities_are_relative_frequencies_with_null) {
  // f = (10 11), e = (20 21), link 10-20; then f = (10), e = (21), link 10-21.
  const std::vector<WordId> f = {10, 11, 10}, e = {20, 21, 21};
  const std::vector<std::int64_t> f_offsets = {0, 2, 3}, e_offsets = {0, 2, 3};
  Alignments alignments;
  alignments.add({{0, 0}});
  alignments.add({{0, 0}});
  const LexicalTables tables = count_translations({f, f_offsets}, {e, e_offsets}, alignments);
  CHECK(tables.target_given_source.probability(10, 20) == 0.5);
  CHECK(tables.target_given_source.probability(10, 21) == 0.5);
  CHECK(tables.target_given_source.probability(null_word, 21) == 1);
  CHECK(tables.source_given_target.probability(20, 10) == 1);
  CHECK(tables.source_given_target.probability(null_word, 11) == 1);
  CHECK(tables.target_given_source.probability(11, 20) == 0);
  Alignments outside;
  outside.add({{0, 2}});
  outside.add({});
  CHECK_THROWS(count_translations({f, f_offsets}, {e, e_offsets}, outside), LineError);
}
