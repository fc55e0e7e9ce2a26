#include "corpus/vocab.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/quoted.hpp"
#include "base/words.hpp"

namespace tunesmith {

Vocabulary::Vocabulary(std::span<const std::string_view> words, std::vector<std::int64_t> counts)
    : counts_(std::move(counts)) {
  if (words.size() != counts_.size())
    throw Error(std::to_string(words.size()) + " words but " + std::to_string(counts_.size()) + " counts");
  if (words.size() < 3 || !std::equal(special, special + 3, words.begin()))
    throw Error("a vocabulary begins with <unk>, <s> and </s>");
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t parts = 0;
    for_each_word(words[i], [&](std::string_view part) { parts += part.size() == words[i].size() ? 1 : 2; });
    if (parts != 1) throw Error("word " + std::to_string(i) + " is empty or holds white space");
    if (counts_[i] < 0) throw Error("the count of word " + std::to_string(i) + " is negative");
    if (table_.add(words[i]) != static_cast<WordId>(i))
      throw Error("the word " + quoted(words[i]) + " occurs twice");
  }
}

std::optional<WordId> Vocabulary::find(std::string_view word) const {
  const WordId id = table_.find(word);
  return id == WordTable::none ? std::nullopt : std::optional(id);
}

std::string_view Vocabulary::word(std::int64_t id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= size())
    throw Error("word number " + std::to_string(id) + " is not between 0 and " + std::to_string(size()) +
                " (exclusive)");
  return table_.word(static_cast<WordId>(id));
}

EncodedLines Vocabulary::encode(std::span<const std::string_view> lines, int threads) const {
  EncodedLines encoded;
  encoded.offsets.resize(lines.size() + 1);
  if (threads <= 1) {  // one pass; memory is not known in advance
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for_each_word(lines[i], [&](std::string_view word) {
        const WordId id = table_.find(word);
        encoded.ids.push_back(id == WordTable::none ? unknown : id);
      });
      encoded.offsets[i + 1] = static_cast<std::int64_t>(encoded.ids.size());
    }
    return encoded;
  }
  parallel_ranges(lines.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for_each_word(lines[i], [&](std::string_view) { ++encoded.offsets[i + 1]; });
  });
  for (std::size_t i = 0; i < lines.size(); ++i) encoded.offsets[i + 1] += encoded.offsets[i];
  encoded.ids.resize(static_cast<std::size_t>(encoded.offsets.back()));
  parallel_ranges(lines.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      WordId* out = encoded.ids.data() + encoded.offsets[i];
      for_each_word(lines[i], [&](std::string_view word) {
        const WordId id = table_.find(word);
        *out++ = id == WordTable::none ? unknown : id;
      });
    }
  });
  return encoded;
}

std::vector<std::string> Vocabulary::decode(std::span<const WordId> ids,
                                            std::span<const std::int64_t> offsets) const {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(ids.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw Error("offsets must rise from 0 to the number of ids, " + std::to_string(ids.size()));
  std::vector<std::string> lines(offsets.size() - 1);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::int64_t at = offsets[i]; at < offsets[i + 1]; ++at) {
      if (at > offsets[i]) lines[i] += ' ';
      lines[i] += word(ids[static_cast<std::size_t>(at)]);
    }
  return lines;
}

void WordCounter::add(std::span<const std::string_view> lines) {
  for (const std::string_view line : lines) for_each_word(line, [&](std::string_view word) { add(word); });
}

WordId WordCounter::add(std::string_view word) {
  const WordId id = table_.add(word);
  if (static_cast<std::size_t>(id) == counts_.size()) counts_.push_back(0);
  ++counts_[static_cast<std::size_t>(id)];
  ++tokens_;
  return id;
}

Vocabulary WordCounter::choose(std::optional<std::int64_t> limit, std::int64_t min_count) const {
  if (limit && *limit < 0) throw Error("limit " + std::to_string(*limit) + " is negative");
  std::vector<std::string_view> words(std::begin(Vocabulary::special), std::end(Vocabulary::special));
  std::vector<std::int64_t> counts(words.size(), 0);
  std::vector<WordId> chosen;
  for (std::size_t i = 0; i < types(); ++i) {
    const auto id = static_cast<WordId>(i);
    const auto found = std::find(words.begin(), words.begin() + 3, table_.word(id));
    if (found != words.begin() + 3)
      counts[static_cast<std::size_t>(found - words.begin())] = counts_[i];
    else if (counts_[i] >= min_count)
      chosen.push_back(id);
  }
  const auto before = [&](WordId a, WordId b) {
    const std::int64_t of_a = counts_[static_cast<std::size_t>(a)], of_b = counts_[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : table_.word(a) < table_.word(b);
  };
  if (limit && static_cast<std::size_t>(*limit) < chosen.size()) {
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(*limit);
    std::nth_element(chosen.begin(), end, chosen.end(), before);
    chosen.erase(end, chosen.end());
  }
  std::sort(chosen.begin(), chosen.end(), before);
  std::int64_t listed = counts[Vocabulary::sentence_begin] + counts[Vocabulary::sentence_end];
  for (const WordId id : chosen) {
    words.push_back(table_.word(id));
    counts.push_back(counts_[static_cast<std::size_t>(id)]);
    listed += counts.back();
  }
  counts[Vocabulary::unknown] = tokens_ - listed;
  return Vocabulary(words, std::move(counts));
}

}  // namespace tunesmith
