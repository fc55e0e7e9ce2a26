#include "grammar/tables/source_filter.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::uint64_t extend(std::uint64_t hash, Symbol word) {
  return mix(hash, static_cast<std::uint32_t>(word));
}

std::size_t leading_gaps(std::span<const Symbol> source) {
  return static_cast<std::size_t>(std::find_if_not(source.begin(), source.end(), is_gap) - source.begin());
}

std::span<const Symbol> first_run(std::span<const Symbol> source) {
  return source.first(
      static_cast<std::size_t>(std::find_if(source.begin(), source.end(), is_gap) - source.begin()));
}

}  // namespace

SourceFilter::SourceFilter(const WordNumbers& text, int longest)
    : ids_(text.ids.begin(), text.ids.end()), offsets_(text.offsets.begin(), text.offsets.end()) {
  if (longest < 1) throw Error("the longest run of words must be 1 or more, not " + std::to_string(longest));
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto words = text.of(i);
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
      std::uint64_t hash = 0;
      for (std::size_t end = begin; end < words.size() && end < begin + static_cast<std::size_t>(longest); ++end) {
        hash = extend(hash, words[end]);
        places_.push_back({hash, narrow<std::uint32_t>(i), narrow<std::uint32_t>(begin)});
      }
    }
  }
  std::sort(places_.begin(), places_.end());
}

bool SourceFilter::same_words(const Place& place, std::span<const Symbol> run) const {
  const auto begin = static_cast<std::size_t>(offsets_[place.sentence]) + place.begin;
  return begin + run.size() <= static_cast<std::size_t>(offsets_[place.sentence + 1]) &&
         std::equal(run.begin(), run.end(), ids_.begin() + static_cast<std::ptrdiff_t>(begin));
}

bool SourceFilter::matches(std::span<const Symbol> source) const {
  const std::size_t gaps = leading_gaps(source);
  const auto rest = source.subspan(gaps);
  const auto run = first_run(rest);
  std::uint64_t hash = 0;
  for (const Symbol word : run) hash = extend(hash, word);
  auto place = std::lower_bound(places_.begin(), places_.end(), Place{hash, 0, 0});
  for (; place != places_.end() && place->hash == hash; ++place)
    if (place->begin >= gaps && same_words(*place, run) &&
        continues(rest.subspan(run.size()), place->sentence, place->begin + narrow<std::uint32_t>(run.size())))
      return true;
  return false;
}

// The same for what follows a run, in one sentence: the earliest place of each run is as good as any other.
bool SourceFilter::continues(std::span<const Symbol> rest, std::uint32_t sentence, std::uint32_t from) const {
  const auto length = static_cast<std::uint32_t>(offsets_[sentence + 1] - offsets_[sentence]);
  while (!rest.empty()) {
    const std::size_t gaps = leading_gaps(rest);
    from += static_cast<std::uint32_t>(gaps);
    rest = rest.subspan(gaps);
    const auto run = first_run(rest);
    if (run.empty()) break;
    std::uint64_t hash = 0;
    for (const Symbol word : run) hash = extend(hash, word);
    auto place = std::lower_bound(places_.begin(), places_.end(), Place{hash, sentence, from});
    while (place != places_.end() && place->hash == hash && place->sentence == sentence &&
           !same_words(*place, run))
      ++place;
    if (place == places_.end() || place->hash != hash || place->sentence != sentence) return false;
    from = place->begin + narrow<std::uint32_t>(run.size());
    rest = rest.subspan(run.size());
  }
  return from <= length;
}

}  // namespace tunesmith
