// Which source sides can match somewhere in a text.
#pragma once

#include "alignment/lexical_table.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

class SourceFilter {
 public:
  // `longest`: no run of words in a source side is longer. Throws Error unless it is 1 or more.
  SourceFilter(const WordNumbers& text, int longest);

  // Whether the words of `source` occur in some sentence in this order, neighbours as neighbours, with at least
  // one word for each gap. The length of a gap has no upper limit here.
  bool matches(std::span<const Symbol> source) const;

 private:
  struct Place {
    std::uint64_t hash;  // of a run of words
    std::uint32_t sentence, begin;
    auto operator<=>(const Place&) const = default;
  };
  bool continues(std::span<const Symbol> rest, std::uint32_t sentence, std::uint32_t from) const;
  bool same_words(const Place& place, std::span<const Symbol> run) const;

  std::vector<WordId> ids_;
  std::vector<std::int64_t> offsets_;
  std::vector<Place> places_;
};

}  // namespace tunesmith
