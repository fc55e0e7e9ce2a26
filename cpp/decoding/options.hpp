// What a search may spend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tunesmith {

// Limits are counted work, so that a translation is the same on every machine.
struct DecoderOptions {
  static constexpr std::uint32_t largest_pop_limit = 65535;

  // A span, or a stack, is left when this many edges score at least as well as the best one that was not scored is
  // expected to.
  std::uint32_t pop_limit = 200;
  std::uint32_t max_span = 20;     // source words a rule of the table may cover
  std::uint32_t table_limit = 20;  // target sides of a source side that are tried; 0: all
  // Words of a sentence that are searched, 0: all. Those behind are translated one by one.
  std::uint32_t max_words = 2000;
  std::uint64_t max_pops = 0;   // of a sentence, 0: no limit; beyond it only single words are translated
  std::uint64_t max_edges = 0;  // that a sentence keeps, likewise
  std::uint64_t max_bytes = 0;  // of a sentence's hypotheses, likewise
  // Of phrase-based search.
  std::uint32_t max_length = 7;       // source words of a phrase
  std::uint32_t stack_limit = 200;    // hypotheses of a stack that are extended
  std::int32_t distortion_limit = 5;  // words that may be jumped over; negative: as many as a coverage can hold
  bool punctuation_walls = false;     // nothing behind a punctuation mark before all in front of it
  std::optional<double> timeout{};    // seconds for a sentence, likewise; the result then depends on the machine

  // Edges scored at most for a span, where pop_limit of them do not turn out to be good enough.
  static constexpr std::uint32_t most_scored(std::uint32_t pop_limit) {
    return std::min(4 * pop_limit, largest_pop_limit);
  }
};

}  // namespace tunesmith
