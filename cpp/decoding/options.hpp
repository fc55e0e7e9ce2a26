// What a search may spend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tunesmith {

// A setting that one kind of search has.
struct SearchSetting {
  std::string_view name;
  std::int64_t usual, least, most;
  bool is_switch = false;  // 0 or 1
};

// Limits are counted work, so that a translation is the same on every machine.
struct DecoderOptions {
  static constexpr std::uint32_t largest_pop_limit = 65535;

  // A span, or a stack, is left when this many edges score at least as well as the best one that was not scored is
  // expected to.
  std::uint32_t pop_limit = 200;
  std::uint32_t table_limit = 20;  // target sides of a source side that are tried; 0: all
  // Words of a sentence that are searched, 0: all. Those after them are translated one by one.
  std::uint32_t max_words = 2000;
  std::uint64_t max_pops = 0;       // of a sentence, 0: no limit; beyond it only single words are translated
  std::uint64_t max_edges = 0;      // that a sentence keeps, likewise
  std::uint64_t max_bytes = 0;      // of a sentence's hypotheses, likewise
  std::optional<double> timeout{};  // seconds for a sentence, likewise; the result then depends on the machine
  // Settings of the kind of search by name.
  std::map<std::string, std::int64_t, std::less<>> own{};

  // Throws Error for values out of range and for names that are not in `settings`; gives those that are missing
  // their usual values.
  void complete(std::span<const SearchSetting> settings, std::string_view search);
  std::int64_t of(std::string_view name) const { return own.find(name)->second; }

  // Edges scored at most for a span, where pop_limit of them do not turn out to be good enough.
  static constexpr std::uint32_t most_scored(std::uint32_t pop_limit) {
    return std::min(4 * pop_limit, largest_pop_limit);
  }
};

}  // namespace tunesmith
