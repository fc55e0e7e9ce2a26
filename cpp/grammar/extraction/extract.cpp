#include "grammar/extraction/extract.hpp"

#include <string>

#include "base/error.hpp"

namespace tunesmith {
namespace {

void in_range(const char* name, int value, int low, int high) {
  if (value < low || value > high)
    throw Error(std::string(name) + " must be from " + std::to_string(low) + " to " + std::to_string(high) +
                ", not " + std::to_string(value));
}

std::size_t index(std::int32_t value) {
  return static_cast<std::size_t>(value);
}

bool covers(const PhrasePair& outer, const PhrasePair& inner) {
  return inner.source_begin >= outer.source_begin && inner.source_end <= outer.source_end &&
         inner.target_begin >= outer.target_begin && inner.target_end <= outer.target_end;
}

}  // namespace

void check_options(const PhraseOptions& options) {
  in_range("max_length", options.max_length, 1, longest_side);
}

void check_options(const HieroOptions& options) {
  in_range("max_span", options.max_span, 1, longest_side);
  in_range("max_symbols", options.max_symbols, 1, longest_side);
  in_range("max_gaps", options.max_gaps, 0, 2);
  in_range("min_gap", options.min_gap, 1, longest_side);
}

// The phrase pair as a rule, with gaps in place of `first` and `second` (ordered by target position, or null).
void RuleExtractor::add_rule(const AlignedPair& pair, const PhrasePair& phrase, const PhrasePair* first,
                             const PhrasePair* second, Occurrences& out) {
  // Gaps are numbered in the order of the source side.
  const bool swapped = second != nullptr && second->source_begin < first->source_begin;
  const PhrasePair* const of_source[] = {swapped ? second : first, swapped ? first : second};
  const PhrasePair* const of_target[] = {first, second};
  std::vector<Symbol>& symbols = out.symbols();
  const std::size_t begin = symbols.size();
  {
    int next = 0;
    for (std::int32_t s = phrase.source_begin; s < phrase.source_end;) {
      if (next < 2 && of_source[next] != nullptr && of_source[next]->source_begin == s) {
        symbols.push_back(next == 0 ? first_gap : second_gap);
        s = of_source[next++]->source_end;
      } else {
        symbols.push_back(pair.source[index(s++)]);
      }
    }
  }
  const std::size_t source_size = symbols.size() - begin;
  {
    int next = 0;
    std::uint8_t place = 0;
    for (std::int32_t t = phrase.target_begin; t < phrase.target_end; ++place) {
      if (next < 2 && of_target[next] != nullptr && of_target[next]->target_begin == t) {
        symbols.push_back((next == 0) != swapped ? first_gap : second_gap);
        t = of_target[next++]->target_end;
      } else {
        target_place_[index(t)] = place;
        symbols.push_back(pair.target[index(t++)]);
      }
    }
  }
  {
    int next = 0;
    std::uint8_t place = 0;
    for (std::int32_t s = phrase.source_begin; s < phrase.source_end; ++place) {
      if (next < 2 && of_source[next] != nullptr && of_source[next]->source_begin == s) {
        s = of_source[next++]->source_end;
        continue;
      }
      for (std::uint32_t k = links_from_[index(s)]; k < links_from_[index(s + 1)]; ++k)
        out.links().push_back({place, target_place_[index(pair.links[k].target)]});
      ++s;
    }
  }
  out.close(source_size);
}

void RuleExtractor::phrases(const AlignedPair& pair, const PhraseOptions& options, Occurrences& out,
                            std::optional<OrientationModel> orientation) {
  out.clear();
  initial_.find(pair, options.max_length, options.tight);
  links_from_.assign(pair.source.size() + 1, 0);
  for (const Link& link : pair.links) ++links_from_[index(link.source + 1)];
  for (std::size_t s = 0; s < pair.source.size(); ++s) links_from_[s + 1] += links_from_[s];
  target_place_.resize(pair.target.size());
  if (orientation) orientations_.prepare(pair, initial_, *orientation, options.tight);
  for (const PhrasePair& phrase : initial_.phrases()) {
    add_rule(pair, phrase, nullptr, nullptr, out);
    if (orientation)
      out.orient(static_cast<std::uint8_t>(static_cast<int>(orientations_.previous(phrase)) |
                                           static_cast<int>(orientations_.next(phrase)) << 2));
  }
}

void RuleExtractor::hiero(const AlignedPair& pair, const HieroOptions& options, Occurrences& out) {
  out.clear();
  initial_.find(pair, options.max_span, options.tight);
  links_from_.assign(pair.source.size() + 1, 0);
  for (const Link& link : pair.links) ++links_from_[index(link.source + 1)];
  for (std::size_t s = 0; s < pair.source.size(); ++s) links_from_[s + 1] += links_from_[s];
  target_place_.resize(pair.target.size());
  aligned_before_.resize(pair.target.size() + 1);
  aligned_before_[0] = 0;
  for (std::size_t t = 0; t < pair.target.size(); ++t)
    aligned_before_[t + 1] = aligned_before_[t] + (initial_.target_words()[t].count > 0 ? 1 : 0);
  const auto aligned = [&](const PhrasePair& part) {
    return aligned_before_[index(part.target_end)] - aligned_before_[index(part.target_begin)];
  };

  const std::vector<PhrasePair>& phrases = initial_.phrases();
  for (std::size_t at = 0; at < phrases.size(); ++at) {
    const PhrasePair& phrase = phrases[at];
    const std::size_t first_rule = out.size();
    if (phrase.source_size() <= options.max_symbols) add_rule(pair, phrase, nullptr, nullptr, out);

    gaps_.clear();
    if (options.max_gaps > 0) {
      // Phrases are ordered by target_begin, so the parts of this one stand between its own first and last.
      std::size_t k = at;
      while (k > 0 && phrases[k - 1].target_begin == phrase.target_begin) --k;
      for (; k < phrases.size() && phrases[k].target_begin < phrase.target_end; ++k) {
        const PhrasePair& part = phrases[k];
        if (part.source_size() >= options.min_gap && covers(phrase, part) &&
            part.source_size() < phrase.source_size() && part.target_size() < phrase.target_size())
          gaps_.push_back(part);
      }
    }
    const std::int32_t words = phrase.source_size(), target_words = phrase.target_size(), links = aligned(phrase);
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      const PhrasePair& a = gaps_[i];
      if (options.aligned && links == aligned(a)) continue;
      if (words - a.source_size() + 1 <= options.max_symbols &&
          (!options.normal_form || a.target_end == phrase.target_end))
        add_rule(pair, phrase, &a, nullptr, out);
      if (options.max_gaps < 2) continue;
      const std::int32_t left = words - a.source_size();
      for (std::size_t j = i + 1; j < gaps_.size(); ++j) {
        const PhrasePair& b = gaps_[j];
        if (b.target_begin < a.target_end) continue;
        const std::int32_t between = b.source_begin >= a.source_end   ? b.source_begin - a.source_end
                                     : a.source_begin >= b.source_end ? a.source_begin - b.source_end
                                                                      : -1;
        if (between < (options.adjacent ? 0 : 1)) continue;
        const std::int32_t words_left = left - b.source_size();
        if (words_left < 1 || words_left + 2 > options.max_symbols) continue;
        if (target_words - a.target_size() - b.target_size() < 1) continue;
        if (options.aligned && links == aligned(a) + aligned(b)) continue;
        if (options.normal_form && (a.target_end != b.target_begin || b.target_end != phrase.target_end)) continue;
        add_rule(pair, phrase, &a, &b, out);
      }
    }
    if (options.fractional) out.share_from(first_rule);
  }
}

}  // namespace tunesmith
