// The result of decoding one line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "decoding/chart/chart_graph.hpp"
#include "decoding/model.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

struct Decoded {
  std::string line;
  // Where the words of the line begin and end. Words of forced phrases that are not in the target vocabulary stand
  // after those of the source.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
  Hypergraph graph;                              // what the derivations use, or all that was found if asked
  Derivations derivations;                       // of the graph, best first
  std::vector<double> local;                     // local scores of the graph's applications
  std::vector<SparseKey> sparse_keys;            // until sparse features have numbers
  std::uint64_t pops = 0, edges = 0, bytes = 0;  // what search spent
  bool limited = false, timed_out = false;       // whether a limit, or the clock, cut the search

  std::string_view source_word(std::size_t at) const {
    return std::string_view(line).substr(words[at].first, words[at].second - words[at].first);
  }
};

// ids[i] takes the place of number i of sparse features; those whose new number is `none` are left out.
void replace_sparse_ids(Hypergraph& graph, std::span<const std::uint32_t> ids);

// Leaves in the graph what the derivations use, and the keys of their sparse features. Results of many lines wait
// for one another; whole graphs of long lines would fill the memory meanwhile.
void keep_listed(Decoded& decoded);

// The words of derivation i, joined by one space.
std::string text_of(const Decoded& decoded, const DecoderModel& model, std::size_t i);

// Links (source position, target position) of derivation i, sorted: those of its rules, put together. A word that
// passes through is linked to itself; those of a forced phrase that is not in the table are all linked.
std::vector<std::pair<std::uint32_t, std::uint32_t>> alignment_of(const Decoded& decoded,
                                                                  const DecoderModel& model, std::size_t i);

}  // namespace tunesmith
