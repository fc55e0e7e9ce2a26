#include "decoding/search_kinds.hpp"

#include <string>

#include "base/error.hpp"
#include "decoding/hiero/hiero_search.hpp"
#include "decoding/left_to_right/left_to_right_search.hpp"
#include "decoding/phrase/phrase_search.hpp"

namespace tunesmith {

std::span<const SearchKind* const> search_kinds() {
  static constexpr const SearchKind* kinds[] = {&hiero_search_kind, &phrase_search_kind,
                                                &left_to_right_search_kind};
  return kinds;
}

const SearchKind& search_kind(std::string_view name) {
  std::string names;
  for (const SearchKind* const kind : search_kinds()) {
    if (kind->name == name) return *kind;
    names += (names.empty() ? "" : ", ") + std::string(kind->name);
  }
  throw Error("unknown search " + std::string(name) + "; known: " + names);
}

}  // namespace tunesmith
