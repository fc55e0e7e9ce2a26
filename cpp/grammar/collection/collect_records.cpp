// The first pass: sentence pairs → records of the occurrences of rules, divided by source side.
#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "grammar/collection/collect.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t sample_pairs = 1000;
constexpr std::size_t largest_part = std::size_t{8} << 20;  // bytes; its hash table then fits a cache or nearly so
constexpr std::size_t most_parts = 4096;

void mark(std::uint8_t& flag) {
  std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

// Each different key once.
void count_once(std::vector<SideKey>& keys, std::vector<KeyedRecord>& records) {
  const auto order = [](const SideKey& key) { return std::tuple(key.high, key.low); };
  std::sort(keys.begin(), keys.end(), [&](const SideKey& a, const SideKey& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || order(keys[i - 1]) != order(keys[i]))
      records.push_back({keys[i].high, 1, no_row, keys[i].low, -1});
  keys.clear();
}

}  // namespace

void RuleCollector::extract_pair(std::size_t pair, RuleExtractor& extractor, Occurrences& out) const {
  const AlignedPair aligned{source_.of(pair), target_.of(pair), alignments_.of(pair)};
  if (options_.hiero)
    extractor.hiero(aligned, *options_.hiero, out);
  else
    extractor.phrases(aligned, *options_.phrase, out,
                      options_.reordering ? std::optional(options_.reordering->model) : std::nullopt);
}

// Parts of about equal size, by the source sides of a sample of the sentence pairs.
void RuleCollector::choose_parts() {
  const std::size_t step = std::max<std::size_t>(1, pairs() / sample_pairs);
  RuleExtractor extractor;
  Occurrences found;
  std::vector<SourceKey> keys;
  std::vector<std::uint32_t> record;
  std::size_t words = 0;
  for (std::size_t i = 0; i < pairs(); i += step) {
    extract_pair(i, extractor, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      keys.push_back(source_key(found.rule(k).source));
      record.clear();
      append_record(found.rule(k), 0, 1, record);
      words += record.size();
    }
  }
  std::sort(keys.begin(), keys.end());
  const std::size_t part_bytes = std::min(largest_part, options_.memory / 16);
  const std::size_t parts =
      std::clamp<std::size_t>(words * sizeof(std::uint32_t) * step / part_bytes, 1, most_parts);
  std::vector<SourceKey> splits;
  for (std::size_t part = 1; part < parts; ++part) {
    const SourceKey split = keys[keys.size() * part / parts];
    if (splits.empty() || splits.back() < split) splits.push_back(split);
  }
  records_ = std::make_unique<RecordParts>(std::move(splits), options_.scratch, options_.memory / 2);
  if (!counts_pairs_of_sides()) return;
  const std::uint64_t expected = keys.size() * step;
  for (auto* sums : {&sums_.source_pairs, &sums_.target_pairs})
    *sums = std::make_unique<KeyedSums>(expected, options_.scratch,
                                        sums == &sums_.source_pairs ? "source-pairs" : "target-pairs",
                                        options_.memory, options_.threads);
}

void RuleCollector::extract(std::size_t begin, std::size_t end) {
  if (end > pairs() || begin > end) throw Error("there are only " + std::to_string(pairs()) + " sentence pairs");
  std::atomic<std::size_t> next = begin;
  std::atomic<std::uint64_t> occurrences = 0;
  const std::size_t workers = static_cast<std::size_t>(std::max(options_.threads, 1));
  // Buffers of one part are handed over when they reach this size, and together stay below an eighth of the
  // memory.
  const std::size_t block = std::clamp<std::size_t>(
      options_.memory / 8 / (records_->size() * workers) / sizeof(std::uint32_t), 256, std::size_t{1} << 15);
  parallel_ranges(workers, options_.threads, [&](std::size_t, std::size_t) {
    RuleExtractor extractor;
    Occurrences found;
    std::vector<std::vector<std::uint32_t>> buffers(records_->size());
    std::vector<std::size_t> touched;
    std::vector<SideKey> source_keys, target_keys;
    std::vector<KeyedRecord> source_once, target_once;
    const auto flush_keys = [&](std::size_t limit) {
      if (source_once.size() + target_once.size() <= limit) return;
      sums_.source_pairs->add(source_once);
      sums_.target_pairs->add(target_once);
    };
    constexpr std::size_t batch = 64;
    for (std::size_t from = next.fetch_add(batch); from < end; from = next.fetch_add(batch))
      for (std::size_t i = from; i < std::min(from + batch, end); ++i) {
        extract_pair(i, extractor, found);
        occurrences += found.size();
        touched.clear();
        for (std::size_t k = 0; k < found.size(); ++k) {
          const RuleView rule = found.rule(k);
          if (rule.source.size() == 1) {
            if (!is_gap(rule.source[0])) mark(seen_alone_[static_cast<std::size_t>(rule.source[0])]);
          } else {
            for (const Symbol symbol : rule.source)
              if (!is_gap(symbol)) mark(seen_inside_[static_cast<std::size_t>(symbol)]);
          }
          const std::size_t part = records_->part_of(source_key(rule.source));
          append_record(rule, static_cast<std::uint32_t>(i), found.shared_by(k), buffers[part],
                        found.orientation(k));
          if (buffers[part].size() >= block) touched.push_back(part);
          if (counts_pairs_of_sides()) {
            source_keys.push_back(side_key(rule.source));
            target_keys.push_back(side_key(rule.target));
          }
        }
        if (counts_pairs_of_sides()) {
          count_once(source_keys, source_once);
          count_once(target_keys, target_once);
          flush_keys(std::size_t{1} << 17);
        }
        // Only between sentence pairs: the records of one stay together.
        for (const std::size_t part : touched)
          if (buffers[part].size() >= block) records_->append(part, std::exchange(buffers[part], {}));
      }
    flush_keys(0);
    for (std::size_t part = 0; part < buffers.size(); ++part) {
      buffers[part].shrink_to_fit();
      records_->append(part, std::move(buffers[part]));
    }
  });
  totals_.occurrences += occurrences;
}

// Words that only longer rules know are translated by the word they are linked to most often.
void RuleCollector::make_single_words() {
  const auto& entries = forward_table_.entries();
  std::vector<std::uint32_t> record;
  for (std::size_t i = 0; i < entries.size();) {
    const WordId word = entries[i].given;
    std::size_t best = entries.size(), end = i;
    for (; end < entries.size() && entries[end].given == word; ++end)
      if (entries[end].word >= 0 && (best == entries.size() || entries[end].count > entries[best].count))
        best = end;
    i = end;
    if (word < 0 || static_cast<std::size_t>(word) >= seen_alone_.size() || best == entries.size() ||
        seen_alone_[static_cast<std::size_t>(word)] || !seen_inside_[static_cast<std::size_t>(word)])
      continue;
    const Symbol source = word, target = entries[best].word;
    const RuleLink link{0, 0};
    append_record({{&source, 1}, {&target, 1}, {&link, 1}}, no_pair, 0, record);
    records_->append(records_->part_of(source_key({&source, 1})), std::exchange(record, {}));
    ++totals_.single_words;
  }
}

}  // namespace tunesmith
