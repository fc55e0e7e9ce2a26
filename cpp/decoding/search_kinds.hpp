// The searches there are, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "decoding/options.hpp"
#include "decoding/search.hpp"
#include "decoding/search_profile.hpp"
#include "features/search/growth.hpp"

namespace tunesmith {

struct SearchKind {
  std::string_view name;
  std::string_view adjective;  // in messages: hierarchical
  std::string_view rules;      // the kind of rule table that it translates with
  Growth growth;
  bool forces_phrases;                      // whether it obeys Sentence::forced
  std::span<const SearchSetting> settings;  // in addition to those of all kinds
  // Makes what all threads share, such as a trie of the rules.
  void (*index)(DecoderModel& model);
  // One for each thread. Model and options outlive it; so does `profile`, where times are added unless it is null.
  std::unique_ptr<Search> (*make)(const DecoderModel& model, const DecoderOptions& options,
                                  SearchProfile* profile);
};

// All of them. A new search is one file and one entry of this list.
std::span<const SearchKind* const> search_kinds();

// Throws Error if there is none of this name.
const SearchKind& search_kind(std::string_view name);

}  // namespace tunesmith
