#include "grammar/extraction/containment.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t few = 64;  // places that are counted again rather than remembered

// A mark for the next phrase that no element has; marks begin again when the numbers are used up.
std::uint32_t next_mark(std::uint32_t& last, std::vector<std::uint32_t>& marks) {
  if (last == std::numeric_limits<std::uint32_t>::max()) {
    std::fill(marks.begin(), marks.end(), 0);
    last = 0;
  }
  return ++last;
}

}  // namespace

PhraseIndex::PhraseIndex(const WordNumbers& text, int longest, int threads)
    : text_(text), longest_(static_cast<std::size_t>(longest)) {
  const std::size_t words = text.ids.size();
  if (words >= std::numeric_limits<std::uint32_t>::max() ||
      text.size() >= std::numeric_limits<std::uint32_t>::max())
    throw Error("significance can be computed for texts of less than 4294967295 words; leave out --significance");
  // By first word at once, then the places of every first word by themselves.
  const WordId last = words == 0 ? 0 : *std::max_element(text.ids.begin(), text.ids.end());
  std::vector<std::uint32_t> begins(static_cast<std::size_t>(last) + 2, 0);
  for (const WordId id : text.ids) ++begins[static_cast<std::size_t>(id) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  places_.resize(words);
  sentence_of_.resize(words);
  std::vector<std::uint32_t> of_place(words);
  {
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t sentence = 0; sentence < text.size(); ++sentence)
      for (std::int64_t at = text.offsets[sentence]; at < text.offsets[sentence + 1]; ++at) {
        const auto place = static_cast<std::size_t>(at);
        places_[next[static_cast<std::size_t>(text.ids[place])]++] = static_cast<std::uint32_t>(at);
        of_place[place] = static_cast<std::uint32_t>(sentence);
      }
  }
  const auto following = [&](std::uint32_t place) {
    const auto end = static_cast<std::size_t>(text.offsets[of_place[place] + 1]);
    return text.ids.subspan(place, std::min(longest_, end - place));
  };
  std::atomic<std::size_t> next_word = 0;
  parallel_ranges(static_cast<std::size_t>(std::max(threads, 1)), threads, [&](std::size_t, std::size_t) {
    for (std::size_t word = next_word++; word + 1 < begins.size(); word = next_word++)
      std::sort(places_.begin() + begins[word], places_.begin() + begins[word + 1],
                [&](std::uint32_t a, std::uint32_t b) {
                  const auto x = following(a), y = following(b);
                  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
                });
  });
  for (std::size_t i = 0; i < words; ++i) sentence_of_[i] = of_place[places_[i]];
}

std::span<const WordId> PhraseIndex::words_at(std::uint32_t suffix) const {
  const std::size_t place = places_[suffix];
  const auto end = static_cast<std::size_t>(text_.offsets[sentence_of_[suffix] + 1]);
  return text_.ids.subspan(place, std::min(longest_, end - place));
}

PhraseIndex::Range PhraseIndex::find(std::span<const Symbol> phrase) const {
  // The first place whose words are not before the phrase; with `or_begins`, nor begin with it.
  const auto first = [&](bool or_begins) {
    std::uint32_t low = 0, high = narrow<std::uint32_t>(places_.size());
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const auto words = words_at(middle);
      const auto head = words.first(std::min(words.size(), phrase.size()));
      const auto order =
          std::lexicographical_compare_three_way(head.begin(), head.end(), phrase.begin(), phrase.end());
      if (order < 0 || (or_begins && order == 0))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  return {first(false), first(true)};
}

bool PhraseIndex::contains(std::uint32_t sentence, std::span<const Symbol> phrase) const {
  const auto words = text_.of(sentence);
  return std::search(words.begin(), words.end(), phrase.begin(), phrase.end()) != words.end();
}

Containment::Containment(const WordNumbers& source, const WordNumbers& target, int longest, int threads)
    : source_(source, longest, threads), target_(target, longest, threads) {}

Containment::Counter::Counter(const Containment& all)
    : all_(all), of_source_(all.source_.size(), 0), of_target_(all.source_.size(), 0) {}

void Containment::Counter::take_source(std::span<const Symbol> source) {
  source_ = source;
  source_sentences_.clear();
  const std::uint32_t mark = next_mark(source_number_, of_source_);
  for (const std::uint32_t sentence : all_.source_.sentences(all_.source_.find(source))) {
    if (of_source_[sentence] == mark) continue;
    of_source_[sentence] = mark;
    source_sentences_.push_back(sentence);
  }
}

std::size_t Containment::Counter::count_target(PhraseIndex::Range range) {
  const auto count = [&] {
    const std::uint32_t mark = next_mark(target_number_, of_target_);
    std::uint32_t different = 0;
    for (const std::uint32_t sentence : all_.target_.sentences(range)) {
      different += of_target_[sentence] != mark;
      of_target_[sentence] = mark;
    }
    return different;
  };
  if (range.size() <= few) return count();
  const std::uint64_t key = std::uint64_t{range.begin} << 32 | range.end;
  Known& known = all_.known_[mix(key, 0) % all_.known_.size()];
  {
    const std::scoped_lock lock(known.mutex);
    if (const auto found = known.counts.find(key); found != known.counts.end()) return found->second;
  }
  const std::uint32_t different = count();
  const std::scoped_lock lock(known.mutex);
  known.counts.emplace(key, different);
  return different;
}

Containment::Counts Containment::Counter::count(std::span<const Symbol> target) {
  const PhraseIndex::Range range = all_.target_.find(target);
  Counts counts{0, source_sentences_.size(), count_target(range)};
  // The rarer side is looked through.
  if (range.size() <= source_sentences_.size() * 8) {
    const std::uint32_t mark = next_mark(target_number_, of_target_);
    for (const std::uint32_t sentence : all_.target_.sentences(range)) {
      counts.both += of_source_[sentence] == source_number_ && of_target_[sentence] != mark;
      of_target_[sentence] = mark;
    }
  } else {
    for (const std::uint32_t sentence : source_sentences_) counts.both += all_.target_.contains(sentence, target);
  }
  return counts;
}

}  // namespace tunesmith
