#include "base/files/sort_records.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace tunesmith {
namespace {

template <std::size_t Width>
using Record = std::array<std::uint32_t, Width>;

// Payload words take part, so that the order of records with equal keys is defined too.
template <std::size_t Width>
void sort_by_words(Record<Width>* begin, Record<Width>* end) {
  std::sort(begin, end, [](const Record<Width>& a, const Record<Width>& b) {
    for (std::size_t i = 0; i + 1 < Width; ++i)
      if (a[i] != b[i]) return a[i] < b[i];
    return a[Width - 1] < b[Width - 1];
  });
}

// Joins sorted records with equal keys; returns how many are left.
template <std::size_t Width>
std::size_t join(Record<Width>* records, std::size_t count, std::size_t key) {
  if (key == 0 || count == 0) return count;
  std::size_t last = 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (std::equal(records[i].begin(), records[i].begin() + key, records[last].begin()))
      add_count(records[last].data() + key, records[i].data() + key);
    else if (++last != i)
      records[last] = records[i];
  }
  return last + 1;
}

// Where the records of each first word begin once they are sorted, and the end. Empty where there are too many
// words for grouping by them to gain anything.
template <std::size_t Width>
std::vector<std::size_t> begins_of_words(const Record<Width>* records, std::size_t count, int threads) {
  const std::size_t slices = useful_threads(threads);
  std::vector<std::vector<std::size_t>> counts(slices);
  parallel_each(slices, threads, [&](std::size_t slice) {
    std::vector<std::size_t>& own = counts[slice];
    for (std::size_t i = count * slice / slices; i < count * (slice + 1) / slices; ++i) {
      const std::size_t word = records[i][0];
      if (word >= count / 4) {
        own.assign(count / 4 + 1, 0);  // more words than make sense
        return;
      }
      if (word >= own.size()) own.resize(std::min(std::max(word + 1, 2 * own.size()), count / 4));
      ++own[word];
    }
  });
  std::size_t words = 0;
  for (const auto& own : counts) words = std::max(words, own.size());
  if (words > count / 4) return {};
  std::vector<std::size_t> begins(words + 1);
  for (const auto& own : counts)
    for (std::size_t word = 0; word < own.size(); ++word) begins[word + 1] += own[word];
  for (std::size_t word = 0; word < words; ++word) begins[word + 1] += begins[word];
  return begins;
}

// Moves records whose first word is below that of the middle part before the others, then each half in the same
// way, until every part has its records. parts: a power of two, with the first word of each and the end.
template <std::size_t Width>
void distribute(Record<Width>* records, const std::vector<std::size_t>& begins,
                const std::vector<std::size_t>& parts, int threads) {
  const auto at = [&](std::size_t part) { return records + begins[parts[part]]; };
  for (std::size_t step = parts.size() - 1; step > 1; step /= 2) {
    const std::size_t halves = 2 * ((parts.size() - 1) / step);
    std::vector<Record<Width>*> splits(halves);
    parallel_each(halves, threads, [&](std::size_t half) {
      const auto pivot = parts[half / 2 * step + step / 2];
      splits[half] = std::partition(at(half * (step / 2)), at((half + 1) * (step / 2)),
                                    [&](const Record<Width>& record) { return record[0] < pivot; });
    });
    // What is too large on the left changes places with as many that are too small on the right.
    for (std::size_t half = 0; half < halves; half += 2) {
      Record<Width>* const middle = at((half + 1) * (step / 2));
      parallel_ranges(static_cast<std::size_t>(middle - splits[half]), threads,
                      [&](std::size_t begin, std::size_t end) {
                        std::swap_ranges(splits[half] + begin, splits[half] + end, middle + begin);
                      });
    }
  }
}

// Moves records with the same first word next to one another, in the order of these words and without memory for
// copies, where all records of the words from `first` to `last` (exclusive) are in their place together.
template <std::size_t Width>
void group_by_first(Record<Width>* records, const std::vector<std::size_t>& begins, std::size_t first,
                    std::size_t last) {
  std::vector<std::size_t> next(begins.begin() + static_cast<std::ptrdiff_t>(first),
                                begins.begin() + static_cast<std::ptrdiff_t>(last));
  for (std::size_t word = first; word < last; ++word)
    while (next[word - first] < begins[word + 1]) {
      const std::uint32_t found = records[next[word - first]][0];
      if (found != word) std::swap(records[next[word - first]], records[next[found - first]]);
      ++next[found - first];
    }
}

// Texts have few words for many records: threads get parts of the words with about as many records each, group
// their records by the first word and sort the groups.
template <std::size_t Width>
std::size_t sort_all(std::uint32_t* begin, std::size_t count, std::size_t key, int threads) {
  static_assert(sizeof(Record<Width>) == 4 * Width);
  auto* const records = reinterpret_cast<Record<Width>*>(begin);
  constexpr std::size_t few = std::size_t{1} << 14, most = 64;
  std::vector<std::size_t> begins;
  if (count >= few) begins = begins_of_words<Width>(records, count, threads);
  if (begins.empty()) {
    sort_by_words<Width>(records, records + count);
    return join<Width>(records, count, key);
  }
  const std::size_t size = threads > 1 ? std::min(most, std::bit_ceil(2 * static_cast<std::size_t>(threads))) : 1;
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part <= size; ++part)
    parts.push_back(static_cast<std::size_t>(
        std::lower_bound(begins.begin(), begins.end() - 1, count * part / size) - begins.begin()));
  distribute<Width>(records, begins, parts, threads);
  std::vector<std::size_t> left(size);
  parallel_each(size, threads, [&](std::size_t part) {
    const std::size_t first = parts[part], last = parts[part + 1];
    group_by_first<Width>(records, begins, first, last);
    for (std::size_t word = first; word < last; ++word)
      sort_by_words<Width>(records + begins[word], records + begins[word + 1]);
    left[part] = join<Width>(records + begins[first], begins[last] - begins[first], key);
  });
  std::size_t all = left[0];
  for (std::size_t part = 1; part < size; ++part) {
    const Record<Width>* from = records + begins[parts[part]];
    if (records + all != from) std::memmove(records + all, from, left[part] * sizeof(Record<Width>));
    all += left[part];
  }
  return all;
}

template <std::size_t... Widths>
std::size_t dispatch(std::size_t width, std::uint32_t* records, std::size_t count, std::size_t key, int threads,
                     std::index_sequence<Widths...>) {
  std::size_t left = 0;
  ((width == Widths + 1 ? void(left = sort_all<Widths + 1>(records, count, key, threads)) : void()), ...);
  return left;
}

}  // namespace

std::size_t sort_records(std::uint32_t* records, std::size_t count, std::size_t width, std::size_t sum_key,
                         int threads) {
  return dispatch(width, records, count, sum_key, threads, std::make_index_sequence<max_record_width>{});
}

}  // namespace tunesmith
