#include "clustering/bigrams.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

struct Pair {
  std::uint32_t left, right, count;
};

// Lists by the word that `word_of` says, neighbours in rising order, pairs of the same two words summed.
template <class WordOf, class NeighbourOf>
Neighbours neighbours(std::vector<Pair>& pairs, std::size_t words, WordOf word_of, NeighbourOf neighbour_of) {
  std::sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) {
    return word_of(a) != word_of(b) ? word_of(a) < word_of(b) : neighbour_of(a) < neighbour_of(b);
  });
  Neighbours out;
  out.offsets.assign(words + 1, 0);
  std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
  for (const Pair& pair : pairs) {
    const std::size_t word = word_of(pair);
    if (word >= words) break;  // the border, which sorts last
    if (word == last && out.entries.back().word == neighbour_of(pair)) {
      out.entries.back().count += pair.count;
      continue;
    }
    out.entries.push_back({neighbour_of(pair), pair.count});
    out.offsets[word + 1] = out.entries.size();
    last = static_cast<std::uint32_t>(word);
  }
  for (std::size_t i = 0; i < words; ++i) out.offsets[i + 1] = std::max(out.offsets[i + 1], out.offsets[i]);
  return out;
}

}  // namespace

std::string without_digits(std::string_view word) {
  std::string out(word);
  std::replace_if(out.begin(), out.end(), is_digit, '0');
  return out;
}

void BigramCounter::add(std::span<const std::string_view> lines) {
  for (const std::string_view line : lines) {
    std::uint64_t left = 0;
    for_each_word(line, [&](std::string_view text) {
      const bool changes = digits_to_one_ && std::any_of(text.begin(), text.end(), is_digit);
      const auto id = static_cast<std::size_t>(changes ? table_.add(without_digits(text)) : table_.add(text));
      if (id == counts_.size()) counts_.push_back(0);
      ++counts_[id];
      if (++tokens_ >= std::numeric_limits<std::uint32_t>::max())
        throw Error("the text has more than 4294967294 words; cluster a part of it");
      pairs_.add(left << 32 | (id + 1), 1);
      left = id + 1;
    });
    if (left != 0) pairs_.add(left << 32, 1);
    ++sentences_;
  }
}

Bigrams BigramCounter::choose(std::int64_t min_count, std::span<const std::string_view> known) const {
  std::vector<bool> kept(types());
  for (std::size_t id = 0; id < types(); ++id) kept[id] = counts_[id] >= min_count && word(id) != unknown_word;
  for (const std::string_view each : known)
    if (const WordId id = table_.find(each); id != WordTable::none && each != unknown_word)
      kept[static_cast<std::size_t>(id)] = true;

  struct Chosen {
    std::string_view word;
    std::int64_t count;
    std::size_t id;
  };
  std::vector<Chosen> chosen;
  Chosen unknown{unknown_word, 0, types()};
  for (std::size_t id = 0; id < types(); ++id)
    if (kept[id])
      chosen.push_back({word(id), counts_[id], id});
    else
      unknown.count += counts_[id];
  if (unknown.count > 0) chosen.push_back(unknown);
  std::sort(chosen.begin(), chosen.end(), [](const Chosen& a, const Chosen& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  });

  Bigrams out;
  out.tokens = tokens_;
  std::vector<std::uint32_t> number(types() + 1);  // the last one is that of `<unk>`
  for (const Chosen& each : chosen) {
    number[each.id] = narrow<std::uint32_t>(out.size(), "words");
    out.words.emplace_back(each.word);
    out.counts.push_back(each.count);
  }
  for (std::size_t id = 0; id < types(); ++id)
    if (!kept[id]) number[id] = number[types()];

  std::vector<Pair> pairs;
  pairs.reserve(pairs_.size());
  pairs_.for_each([&](std::uint64_t key, std::uint32_t count) {
    const std::uint64_t left = key >> 32, right = key & 0xFFFFFFFFu;
    pairs.push_back(
        {left == 0 ? out.border() : number[left - 1], right == 0 ? out.border() : number[right - 1], count});
  });
  const auto left_of = [](const Pair& pair) { return pair.left; };
  const auto right_of = [](const Pair& pair) { return pair.right; };
  out.before = neighbours(pairs, out.size(), right_of, left_of);
  out.after = neighbours(pairs, out.size(), left_of, right_of);
  return out;
}

}  // namespace tunesmith
