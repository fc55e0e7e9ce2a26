#include "search/matrices/sentence_support.hpp"

#include <limits>
#include <mutex>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "search/matrices/distinct_columns.hpp"

namespace tunesmith {

std::vector<std::int64_t> sentence_support(const CandidateLists& candidates, std::span<const std::int64_t> groups,
                                           std::size_t size, int threads) {
  const std::size_t columns = candidates.matrix.columns();
  if (groups.empty()) {
    size = columns;
  } else if (groups.size() < columns) {
    throw Error("there are groups for " + std::to_string(groups.size()) + " of " + std::to_string(columns) +
                " features");
  }
  for (const std::int64_t group : groups)
    if (group < -1 || (group >= 0 && static_cast<std::size_t>(group) >= size))
      throw Error("group " + std::to_string(group) + " is none of the " + std::to_string(size));
  std::vector<std::int64_t> total(size);
  std::mutex mutex;
  parallel_ranges(candidates.sentences(), threads, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> seen(size, none);  // the last sentence where the group was met
    std::vector<std::int64_t> count(size);
    DistinctColumns of_sentence;
    of_sentence.grow(columns);
    for (std::size_t s = begin; s < end; ++s) {
      of_sentence.clear();
      candidates.matrix.add_columns(candidates.begin(s), candidates.end(s), of_sentence);
      for (const std::uint32_t id : of_sentence.ids()) {
        const std::int64_t group = groups.empty() ? static_cast<std::int64_t>(id) : groups[id];
        if (group < 0) continue;
        const auto at = static_cast<std::size_t>(group);
        if (seen[at] == s) continue;
        seen[at] = s;
        ++count[at];
      }
    }
    const std::lock_guard lock(mutex);  // sums of whole numbers do not depend on the order
    for (std::size_t i = 0; i < size; ++i) total[i] += count[i];
  });
  return total;
}

std::vector<std::int64_t> support_by_fold(const CandidateLists& candidates, std::span<const std::int64_t> parts,
                                          std::size_t count) {
  if (parts.size() != candidates.sentences()) throw Error("there must be a part for every sentence");
  for (const std::int64_t part : parts)
    if (part < 0 || static_cast<std::size_t>(part) >= count)
      throw Error("part " + std::to_string(part) + " is none of the " + std::to_string(count));
  const std::size_t columns = candidates.matrix.columns();
  std::vector<std::int64_t> total(count * columns);
  DistinctColumns of_sentence;
  of_sentence.grow(columns);
  for (std::size_t s = 0; s < parts.size(); ++s) {
    of_sentence.clear();
    candidates.matrix.add_columns(candidates.begin(s), candidates.end(s), of_sentence);
    std::int64_t* const of_part = total.data() + static_cast<std::size_t>(parts[s]) * columns;
    for (const std::uint32_t id : of_sentence.ids()) ++of_part[id];
  }
  return total;
}

}  // namespace tunesmith
