#include "grammar/extraction/initial_phrases.hpp"

#include <algorithm>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

void take(LinkRange& word, std::int32_t other) {
  word.first = word.count == 0 ? other : std::min(word.first, other);
  word.last = word.count == 0 ? other : std::max(word.last, other);
  ++word.count;
}

}  // namespace

void InitialPhrases::find(const AlignedPair& pair, int limit, bool tight) {
  const auto source_size = narrow<std::int32_t>(pair.source.size());
  const auto target_size = narrow<std::int32_t>(pair.target.size());
  phrases_.clear();
  source_.assign(pair.source.size(), {});
  target_.assign(pair.target.size(), {});
  for (const Link& link : pair.links) {
    take(source_[static_cast<std::size_t>(link.source)], link.target);
    take(target_[static_cast<std::size_t>(link.target)], link.source);
  }
  const auto unaligned = [&](std::int32_t s) { return source_[static_cast<std::size_t>(s)].count == 0; };
  for (std::int32_t t0 = 0; t0 < target_size; ++t0) {
    if (tight && target_[static_cast<std::size_t>(t0)].count == 0) continue;
    std::int32_t first = source_size, last = -1;  // source words linked to the target words so far
    for (std::int32_t t1 = t0; t1 < target_size && t1 < t0 + limit; ++t1) {
      const LinkRange& word = target_[static_cast<std::size_t>(t1)];
      if (word.count > 0) {
        first = std::min(first, word.first);
        last = std::max(last, word.last);
      } else if (tight) {
        continue;
      }
      if (last < 0) continue;
      if (last - first >= limit) break;  // more target words only widen the source side
      bool inside = true;
      for (std::int32_t s = first; s <= last && inside; ++s) {
        const LinkRange& back = source_[static_cast<std::size_t>(s)];
        inside = back.count == 0 || (back.first >= t0 && back.last <= t1);
      }
      if (!inside) continue;
      for (std::int32_t s0 = first; s0 >= 0 && s0 > last - limit && (s0 == first || unaligned(s0)); --s0) {
        for (std::int32_t s1 = last; s1 < source_size && s1 < s0 + limit && (s1 == last || unaligned(s1)); ++s1) {
          phrases_.push_back({s0, s1 + 1, t0, t1 + 1});
          if (tight) break;
        }
        if (tight) break;
      }
    }
  }
}

}  // namespace tunesmith
