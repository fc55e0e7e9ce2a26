#include "grammar/collect.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "grammar/array_file.hpp"
#include "grammar/fisher.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t sample_pairs = 1000;
constexpr std::size_t largest_part = std::size_t{8} << 20;  // bytes; its hash table then fits a cache or nearly so
constexpr std::size_t most_parts = 4096;

std::int64_t count_of(std::uint32_t shared_by) {
  return shared_by == 0 ? 0 : (count_unit + shared_by / 2) / shared_by;
}

double as_double(std::int64_t count) {
  return static_cast<double>(count) / static_cast<double>(count_unit);
}

// 1, 2, … 10: the count rounded up, forgiving what the rounding of shares adds.
std::size_t count_bin(std::int64_t count) {
  constexpr std::int64_t forgiven = count_unit >> 16;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>((count + count_unit - 1 - forgiven) / count_unit, 1, 10));
}

int count_kind(std::int64_t count) {
  return static_cast<int>(std::min<std::size_t>(count_bin(count), 3)) - 1;
}

void mark(std::uint8_t& flag) {
  std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

bool same(std::span<const Symbol> a, std::span<const Symbol> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool before(std::span<const Symbol> a, std::span<const Symbol> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Whether the links of `a` are greater than those of `b` as lists of sets, one set for every word of the first
// side of the pairs: at the first difference a larger element, or an element where the other set has ended, is
// greater.
template <class Key>
bool greater_as_sets(std::span<const RuleLink> a, std::span<const RuleLink> b, Key key) {
  std::vector<std::pair<int, int>> left, right;
  for (const RuleLink& link : a) left.push_back(key(link));
  for (const RuleLink& link : b) right.push_back(key(link));
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  const auto [x, y] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (x == left.end()) return false;
  if (y == right.end()) return true;
  return x->first == y->first ? x->second > y->second : x->first < y->first;
}

// The most frequent alignment; of equally frequent ones the greatest, as Moses chooses (see greater_as_sets).
bool greater_to_source(std::span<const RuleLink> a, std::span<const RuleLink> b) {
  return greater_as_sets(a, b, [](const RuleLink& link) { return std::pair<int, int>(link.target, link.source); });
}
bool greater_to_target(std::span<const RuleLink> a, std::span<const RuleLink> b) {
  return greater_as_sets(a, b, [](const RuleLink& link) { return std::pair<int, int>(link.source, link.target); });
}

template <class T>
void push_all(std::vector<T>& to, std::span<const T> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Each different key once.
void count_once(std::vector<TargetKey>& keys, std::vector<TargetMarginals::Update>& updates) {
  const auto order = [](const TargetKey& key) { return std::tuple(key.high, key.low); };
  std::sort(keys.begin(), keys.end(), [&](const TargetKey& a, const TargetKey& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || order(keys[i - 1]) != order(keys[i])) updates.push_back({keys[i], 1, 0});
  keys.clear();
}

// Offsets of a part become those of the whole file.
void shift(std::vector<std::uint64_t>& offsets, std::uint64_t by) {
  for (std::uint64_t& offset : offsets) offset += by;
}

}  // namespace

// The rules of one part as they go to the files. Offsets are ends, counted from the begin of the part.
struct RuleCollector::PartRules {
  std::vector<std::uint64_t> source_ends, source_rule_ends, target_ends, link_ends, labels;
  std::vector<Symbol> source_symbols, target_symbols;
  std::vector<RuleLink> links;
  std::vector<double> source_counts, joint_counts;
  std::vector<std::uint32_t> occurrences, pairs, source_kinds;
  std::vector<float> lexical;
  CollectTotals totals;
};

struct RuleCollector::Files {
  explicit Files(const CollectOptions& options, bool labelled)
      : source_offsets(options.folder + "/source_offsets"),
        source_symbols(options.folder + "/source_symbols"),
        source_rules(options.folder + "/source_rules"),
        source_counts(options.folder + "/source_counts"),
        target_offsets(options.folder + "/target_offsets"),
        target_symbols(options.folder + "/target_symbols"),
        link_offsets(options.folder + "/link_offsets"),
        links(options.folder + "/links"),
        joint_counts(options.folder + "/joint_counts"),
        occurrences(options.folder + "/occurrences"),
        pairs(options.folder + "/pairs"),
        lexical(options.scratch + "/lexical"),
        source_kinds(options.scratch + "/source_kinds") {
    if (labelled) labels = std::make_unique<ArrayWriter>(options.folder + "/labels");
    const std::vector<std::uint64_t> zero = {0};
    for (ArrayWriter* file : {&source_offsets, &source_rules, &target_offsets, &link_offsets}) file->write(zero);
  }
  void write(PartRules& part) {
    shift(part.source_ends, source_symbol_count);
    shift(part.source_rule_ends, rule_count);
    shift(part.target_ends, target_symbol_count);
    shift(part.link_ends, link_count);
    source_symbol_count += part.source_symbols.size();
    rule_count += part.joint_counts.size();
    target_symbol_count += part.target_symbols.size();
    link_count += part.links.size();
    source_count += part.source_counts.size();
    source_offsets.write(part.source_ends);
    source_symbols.write(part.source_symbols);
    source_rules.write(part.source_rule_ends);
    source_counts.write(part.source_counts);
    target_offsets.write(part.target_ends);
    target_symbols.write(part.target_symbols);
    link_offsets.write(part.link_ends);
    links.write(part.links);
    joint_counts.write(part.joint_counts);
    occurrences.write(part.occurrences);
    pairs.write(part.pairs);
    if (labels) labels->write(part.labels);
    lexical.write(part.lexical);
    source_kinds.write(part.source_kinds);
  }
  void close() {
    for (ArrayWriter* file :
         {&source_offsets, &source_symbols, &source_rules, &source_counts, &target_offsets, &target_symbols,
          &link_offsets, &links, &joint_counts, &occurrences, &pairs, &lexical, &source_kinds})
      file->close();
    if (labels) labels->close();
  }

  ArrayWriter source_offsets, source_symbols, source_rules, source_counts, target_offsets, target_symbols,
      link_offsets, links, joint_counts, occurrences, pairs, lexical, source_kinds;
  std::unique_ptr<ArrayWriter> labels;
  std::uint64_t source_symbol_count = 0, rule_count = 0, target_symbol_count = 0, link_count = 0, source_count = 0;
};

// Probabilities of both directions from counts (relative frequency, or smoothed as in Foster et al. 2006).
struct RuleCollector::Scorer {
  Scorer(const CollectOptions& options, const Files& files, const CollectTotals& totals,
         std::size_t sentence_pairs)
      : source_offsets(options.folder + "/source_offsets"),
        source_symbols(options.folder + "/source_symbols"),
        source_rules(options.folder + "/source_rules"),
        source_counts(options.folder + "/source_counts"),
        target_offsets(options.folder + "/target_offsets"),
        target_symbols(options.folder + "/target_symbols"),
        joint_counts(options.folder + "/joint_counts"),
        pairs(options.folder + "/pairs"),
        lexical(options.scratch + "/lexical"),
        source_kinds(options.scratch + "/source_kinds"),
        target_counts(options.folder + "/target_counts", static_cast<std::int64_t>(files.rule_count * 8)),
        scores(options.folder + "/scores", static_cast<std::int64_t>(files.rule_count * 16)),
        smoothing(options.smoothing),
        rules(static_cast<double>(totals.rules - totals.single_words)) {
    if (options.significance) {
      significance = std::make_unique<ArrayPatch>(options.folder + "/significance",
                                                  static_cast<std::int64_t>(files.rule_count * 4));
      fisher = std::make_unique<FisherTest>(sentence_pairs);
    }
    const auto n = [&](std::size_t r) { return static_cast<double>(totals.counts_of_counts[r]); };
    for (std::size_t r = 1; r < 10; ++r)  // Good-Turing: r* / r = (r + 1) N_{r+1} / (r N_r)
      good_turing[r] =
          n(r) > 0 && n(r + 1) > 0 && r < 9
              ? std::min(1.0, (static_cast<double>(r) + 1) * n(r + 1) / (static_cast<double>(r) * n(r)))
              : 1.0;
    const double y = n(1) + 2 * n(2) > 0 ? n(1) / (n(1) + 2 * n(2)) : 0;  // Chen and Goodman 1998, Eq. 26
    for (std::size_t r = 1; r <= 3; ++r) {
      const double part = n(r) > 0 ? (static_cast<double>(r) + 1) * y * n(r + 1) / n(r) : 0;
      discount[r - 1] = std::clamp(static_cast<double>(r) - part, 0.0, static_cast<double>(r));
    }
  }

  // p(a | b): c joint count, n(b) = `given`, sides paired with b by kind, and how many sides a is paired with.
  double probability(double joint, double given, const std::uint32_t* kinds_of_given,
                     std::uint32_t pairs_of_a) const {
    switch (smoothing) {
      case RuleSmoothing::none:
        return joint / given;
      case RuleSmoothing::good_turing:
        return joint * good_turing[std::min<std::size_t>(static_cast<std::size_t>(joint + 0.5), 10)] / given;
      case RuleSmoothing::kneser_ney:
        break;
    }
    double freed = 0;
    for (std::size_t k = 0; k < 3; ++k) freed += discount[k] * kinds_of_given[k];
    const auto kind = std::min<std::size_t>(static_cast<std::size_t>(joint + 0.5), 3) - 1;
    return (joint - discount[kind] + freed * pairs_of_a / rules) / given;
  }

  ArrayPatch source_offsets, source_symbols, source_rules, source_counts, target_offsets, target_symbols,
      joint_counts, pairs, lexical, source_kinds;
  ArrayPatch target_counts, scores;
  std::unique_ptr<ArrayPatch> significance;
  std::unique_ptr<FisherTest> fisher;
  RuleSmoothing smoothing;
  double rules;
  std::array<double, 11> good_turing = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::array<double, 3> discount = {};
};

RuleCollector::RuleCollector(WordNumbers source, WordNumbers target, const Alignments& alignments,
                             std::span<const std::int64_t> labels, const LexicalTable& target_given_source,
                             const LexicalTable& source_given_target, const SourceFilter* filter,
                             CollectOptions options)
    : source_(source),
      target_(target),
      alignments_(alignments),
      forward_table_(target_given_source),
      forward_(target_given_source, options.lexical_decimals),
      backward_(source_given_target, options.lexical_decimals),
      filter_(filter),
      options_(std::move(options)),
      targets_(options_.smoothing == RuleSmoothing::kneser_ney) {
  if (options_.phrase.has_value() == options_.hiero.has_value())
    throw Error("either phrase pairs or hierarchical rules are extracted");
  if (options_.phrase) check_options(*options_.phrase);
  if (options_.hiero) check_options(*options_.hiero);
  if (options_.smoothing != RuleSmoothing::none && options_.hiero && options_.hiero->fractional)
    throw Error("smoothing needs whole counts, not fractional ones");
  if (source_.size() != target_.size() || source_.size() != alignments_.size())
    throw Error(std::to_string(source_.size()) + " source sentences, " + std::to_string(target_.size()) +
                " target sentences and " + std::to_string(alignments_.size()) + " alignments");
  if (!labels.empty() && labels.size() != source_.size())
    throw Error(std::to_string(labels.size()) + " labels for " + std::to_string(source_.size()) +
                " sentence pairs");
  for (const std::int64_t label : labels) {
    if (label < 0 || label > 63) throw Error("label " + std::to_string(label) + " is not from 0 to 63");
    labels_.push_back(static_cast<std::uint8_t>(label));
  }
  for (std::size_t i = 0; i < alignments_.size(); ++i)
    for (const Link& link : alignments_.of(i))
      if (static_cast<std::size_t>(link.source) >= source_.of(i).size() ||
          static_cast<std::size_t>(link.target) >= target_.of(i).size())
        throw AlignmentFormatError{i, "link " + std::to_string(link.source) + '-' + std::to_string(link.target) +
                                          " points outside the sentences, which have " +
                                          std::to_string(source_.of(i).size()) + " and " +
                                          std::to_string(target_.of(i).size()) + " words"};
  const WordId last = source_.ids.empty() ? 0 : *std::max_element(source_.ids.begin(), source_.ids.end());
  seen_alone_.assign(static_cast<std::size_t>(last) + 1, 0);
  seen_inside_ = seen_alone_;
  choose_parts();
}

RuleCollector::~RuleCollector() = default;

void RuleCollector::extract_pair(std::size_t pair, RuleExtractor& extractor, Occurrences& out) const {
  const AlignedPair aligned{source_.of(pair), target_.of(pair), alignments_.of(pair)};
  if (options_.hiero)
    extractor.hiero(aligned, *options_.hiero, out);
  else
    extractor.phrases(aligned, *options_.phrase, out);
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
    std::vector<TargetKey> source_keys, target_keys;
    std::vector<TargetMarginals::Update> source_updates, target_updates;
    const auto flush_updates = [&](std::size_t limit) {
      if (source_updates.size() + target_updates.size() <= limit) return;
      source_pairs_.add(source_updates);
      target_pairs_.add(target_updates);
      source_updates.clear();
      target_updates.clear();
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
          append_record(rule, static_cast<std::uint32_t>(i), found.shared_by(k), buffers[part]);
          if (buffers[part].size() >= block) touched.push_back(part);
          if (options_.significance) {
            source_keys.push_back(target_key(rule.source));
            target_keys.push_back(target_key(rule.target));
          }
        }
        if (options_.significance) {
          count_once(source_keys, source_updates);
          count_once(target_keys, target_updates);
          flush_updates(std::size_t{1} << 17);
        }
        // Only between sentence pairs: the records of one stay together.
        for (const std::size_t part : touched)
          if (buffers[part].size() >= block) records_->append(part, std::exchange(buffers[part], {}));
      }
    flush_updates(0);
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
    if (word < 0 || best == entries.size() || seen_alone_[static_cast<std::size_t>(word)] ||
        !seen_inside_[static_cast<std::size_t>(word)])
      continue;
    const Symbol source = word, target = entries[best].word;
    const RuleLink link{0, 0};
    append_record({{&source, 1}, {&target, 1}, {&link, 1}}, no_pair, 0, record);
    records_->append(records_->part_of(source_key({&source, 1})), std::exchange(record, {}));
    ++totals_.single_words;
  }
}

std::size_t RuleCollector::parts() {
  if (files_) throw Error("the parts were counted before");
  if (options_.single_words) make_single_words();
  files_ = std::make_unique<Files>(options_, !labels_.empty());
  return records_->size();
}

RuleCollector::PartRules RuleCollector::collect_part(std::size_t number) {
  struct Alternative {
    const std::uint32_t* record;
    std::int64_t count;
    std::int32_t next;
  };
  struct Rule {
    const std::uint32_t* record;
    std::int64_t count, first_count;  // all, and those aligned as `record`
    std::uint64_t labels;
    std::uint32_t occurrences, pairs, last_pair;
    std::int32_t others;
  };
  struct Place {
    SourceKey key;
    std::uint32_t rule;
  };

  const std::vector<std::uint32_t> records = records_->take(number);
  std::size_t record_count = 0;
  for (std::size_t at = 0; at < records.size(); at += Record{&records[at]}.words()) ++record_count;

  // Equal rules are found by hash.
  std::vector<Rule> rules;
  std::vector<Alternative> alternatives;
  struct Slot {
    std::uint32_t hash, rule;
  };
  constexpr std::uint32_t empty = 0xFFFFFFFFu;
  std::vector<Slot> slots(std::bit_ceil(record_count * 3 / 2 + 2), Slot{0, empty});
  for (std::size_t at = 0; at < records.size();) {
    const Record record{&records[at]};
    at += record.words();
    const std::size_t symbols = record.source_size() + record.target_size();
    std::uint64_t hash = record.at[0] & 0xFFFF;
    for (std::size_t i = 0; i + 1 < symbols; i += 2) {
      std::uint64_t two;
      std::memcpy(&two, record.symbols() + i, sizeof two);
      hash = mix(hash, two);
    }
    if (symbols % 2 == 1) hash = mix(hash, static_cast<std::uint32_t>(record.symbols()[symbols - 1]));
    const auto short_hash = static_cast<std::uint32_t>(hash >> 32);
    std::size_t slot = hash & (slots.size() - 1);
    for (;; slot = (slot + 1) & (slots.size() - 1)) {
      if (slots[slot].rule == empty) break;
      if (slots[slot].hash != short_hash) continue;
      const Record other{rules[slots[slot].rule].record};
      if ((other.at[0] & 0xFFFF) == (record.at[0] & 0xFFFF) &&
          std::memcmp(other.symbols(), record.symbols(), symbols * sizeof(Symbol)) == 0)
        break;
    }
    const std::int64_t count = count_of(record.shared_by());
    const bool made_up = record.pair() == no_pair;
    const std::uint64_t label = made_up || labels_.empty() ? 0 : std::uint64_t{1} << labels_[record.pair()];
    if (slots[slot].rule == empty) {
      slots[slot] = {short_hash, static_cast<std::uint32_t>(rules.size())};
      rules.push_back({record.at, count, count, label, made_up ? 0u : 1u, made_up ? 0u : 1u, record.pair(), -1});
      continue;
    }
    Rule& rule = rules[slots[slot].rule];
    rule.count += count;
    rule.labels |= label;
    rule.occurrences += 1;
    rule.pairs += rule.last_pair != record.pair() ? 1 : 0;
    rule.last_pair = record.pair();
    const auto same_links = [&](const std::uint32_t* at_other) {
      const auto a = record.links(), b = Record{at_other}.links();
      return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
    };
    if (same_links(rule.record)) {
      rule.first_count += count;
      continue;
    }
    std::int32_t other = rule.others;
    while (other >= 0 && !same_links(alternatives[static_cast<std::size_t>(other)].record))
      other = alternatives[static_cast<std::size_t>(other)].next;
    if (other >= 0) {
      alternatives[static_cast<std::size_t>(other)].count += count;
    } else {
      alternatives.push_back({record.at, count, rule.others});
      rule.others = static_cast<std::int32_t>(alternatives.size()) - 1;
    }
  }
  slots = {};

  std::vector<Place> order(rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i)
    order[i] = {source_key(Record{rules[i].record}.source()), static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    if (a.key != b.key) return a.key < b.key;
    const Record x{rules[a.rule].record}, y{rules[b.rule].record};
    if (x.source_size() > 4 || y.source_size() > 4) {
      if (before(x.source(), y.source())) return true;
      if (before(y.source(), x.source())) return false;
    }
    return before(x.target(), y.target());
  });

  PartRules out;
  std::vector<TargetMarginals::Update> updates;
  updates.reserve(rules.size());
  struct Weighted {
    std::uint32_t rule;
    std::span<const RuleLink> links;
    float backward, forward;
  };
  std::vector<Weighted> group;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const Record first{rules[order[begin].rule].record};
    std::int64_t source_count = 0;
    std::array<std::uint32_t, 3> kinds = {};
    for (; end < order.size() && order[end].key == order[begin].key &&
           same(Record{rules[order[end].rule].record}.source(), first.source());
         ++end) {
      const Rule& rule = rules[order[end].rule];
      if (rule.occurrences == 0) continue;
      source_count += rule.count;
      const int kind = count_kind(rule.count);
      ++kinds[static_cast<std::size_t>(kind)];
      ++out.totals.counts_of_counts[count_bin(rule.count)];
      updates.push_back({target_key(Record{rule.record}.target()), rule.count, kind});
    }
    out.totals.rules += end - begin;
    ++out.totals.sources;
    if (filter_ != nullptr && !filter_->matches(first.source())) continue;

    group.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Rule& rule = rules[order[i].rule];
      const Record record{rule.record};
      std::span<const RuleLink> to_source = record.links(), to_target = to_source;
      std::int64_t most = rule.first_count, most_back = most;
      for (std::int32_t k = rule.others; k >= 0; k = alternatives[static_cast<std::size_t>(k)].next) {
        const Alternative& other = alternatives[static_cast<std::size_t>(k)];
        const auto links = Record{other.record}.links();
        if (other.count > most || (other.count == most && greater_to_source(links, to_source)))
          most = other.count, to_source = links;
        if (other.count > most_back || (other.count == most_back && greater_to_target(links, to_target)))
          most_back = other.count, to_target = links;
      }
      group.push_back(
          {order[i].rule, to_source,
           static_cast<float>(lexical_weight(backward_, record.target(), record.source(), to_target, true)),
           static_cast<float>(lexical_weight(forward_, record.source(), record.target(), to_source, false))});
    }
    if (options_.top > 0 && group.size() > static_cast<std::size_t>(options_.top)) {
      std::vector<std::size_t> rank(group.size());
      for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = i;
      std::sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(-rules[group[a].rule].count, -group[a].forward, a) <
               std::tuple(-rules[group[b].rule].count, -group[b].forward, b);
      });
      rank.resize(static_cast<std::size_t>(options_.top));
      std::sort(rank.begin(), rank.end());
      std::vector<Weighted> best;
      for (const std::size_t i : rank) best.push_back(group[i]);
      group = std::move(best);
    }
    for (const Weighted& weighted : group) {
      const Rule& rule = rules[weighted.rule];
      push_all(out.target_symbols, Record{rule.record}.target());
      out.target_ends.push_back(out.target_symbols.size());
      push_all(out.links, weighted.links);
      out.link_ends.push_back(out.links.size());
      out.joint_counts.push_back(as_double(rule.count));
      out.occurrences.push_back(rule.occurrences);
      out.pairs.push_back(rule.pairs);
      if (!labels_.empty()) out.labels.push_back(rule.labels);
      out.lexical.push_back(weighted.backward);
      out.lexical.push_back(weighted.forward);
    }
    push_all(out.source_symbols, first.source());
    out.source_ends.push_back(out.source_symbols.size());
    out.source_rule_ends.push_back(out.joint_counts.size());
    out.source_counts.push_back(as_double(source_count));
    for (const std::uint32_t kind : kinds) out.source_kinds.push_back(kind);
  }
  targets_.add(updates);
  return out;
}

void RuleCollector::write(std::size_t begin, std::size_t end) {
  if (!files_ || end > records_->size() || begin > end) throw Error("there are no such parts");
  std::atomic<std::size_t> next = begin;
  std::mutex mutex;
  std::condition_variable turn;
  std::size_t written = begin;
  bool failed = false;
  const std::size_t workers = static_cast<std::size_t>(std::max(options_.threads, 1));
  parallel_ranges(workers, options_.threads, [&](std::size_t, std::size_t) {
    try {
      for (std::size_t part = next++; part < end; part = next++) {
        PartRules rules = collect_part(part);
        std::unique_lock lock(mutex);
        turn.wait(lock, [&] { return written == part || failed; });
        if (failed) return;
        files_->write(rules);
        totals_.rules += rules.totals.rules;
        totals_.sources += rules.totals.sources;
        for (std::size_t r = 0; r < totals_.counts_of_counts.size(); ++r)
          totals_.counts_of_counts[r] += rules.totals.counts_of_counts[r];
        ++written;
        turn.notify_all();
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failed = true;
      turn.notify_all();
      throw;
    }
  });
}

std::size_t RuleCollector::sources() {
  if (!files_ || scorer_) throw Error("first all parts are written, then the source sides are counted once");
  files_->close();
  scorer_ = std::make_unique<Scorer>(options_, *files_, totals_, pairs());
  return files_->source_count;
}

void RuleCollector::score(std::size_t begin, std::size_t end) {
  if (!scorer_ || end > files_->source_count || begin > end) throw Error("there are no such source sides");
  const Scorer& scorer = *scorer_;
  constexpr std::size_t step = 1 << 14;
  std::atomic<std::size_t> next = begin;
  const std::size_t workers = static_cast<std::size_t>(std::max(options_.threads, 1));
  parallel_ranges(workers, options_.threads, [&](std::size_t, std::size_t) {
    for (std::size_t from = next.fetch_add(step); from < end; from = next.fetch_add(step)) {
      const std::size_t to = std::min(from + step, end);
      const auto rule_offsets = scorer.source_rules.read<std::uint64_t>(from, to + 1);
      const auto source_counts = scorer.source_counts.read<double>(from, to);
      const auto kinds = scorer.source_kinds.read<std::uint32_t>(3 * from, 3 * to);
      const std::uint64_t first = rule_offsets.front(), last = rule_offsets.back();
      const auto offsets = scorer.target_offsets.read<std::uint64_t>(first, last + 1);
      const auto symbols = scorer.target_symbols.read<Symbol>(offsets.front(), offsets.back());
      const auto joint = scorer.joint_counts.read<double>(first, last);
      const auto lexical = scorer.lexical.read<float>(2 * first, 2 * last);
      std::vector<double> target_counts(joint.size());
      std::vector<float> scores(4 * joint.size());
      for (std::size_t s = 0; s < source_counts.size(); ++s)
        for (std::uint64_t rule = rule_offsets[s]; rule < rule_offsets[s + 1]; ++rule) {
          const std::size_t i = rule - first;
          const std::span<const Symbol> target(symbols.data() + (offsets[i] - offsets[0]),
                                               offsets[i + 1] - offsets[i]);
          const TargetKey key = target_key(target);
          const TargetMarginal& marginal = targets_.find(key);
          target_counts[i] = as_double(marginal.count);
          float* const out = scores.data() + 4 * i;
          out[1] = lexical[2 * i];
          out[3] = lexical[2 * i + 1];
          if (joint[i] == 0) {  // a rule for a single word, made from the lexical table
            out[0] = out[1];
            out[2] = out[3];
            continue;
          }
          const std::uint32_t* const of_source = kinds.data() + 3 * s;
          const Kinds of_target = scorer.smoothing == RuleSmoothing::kneser_ney ? targets_.kinds(key) : Kinds{};
          out[0] = static_cast<float>(scorer.probability(joint[i], target_counts[i], of_target.data(),
                                                         of_source[0] + of_source[1] + of_source[2]));
          out[2] = static_cast<float>(scorer.probability(joint[i], source_counts[s], of_source, marginal.sources));
        }
      if (scorer.significance) {
        const auto source_offsets = scorer.source_offsets.read<std::uint64_t>(from, to + 1);
        const auto sources = scorer.source_symbols.read<Symbol>(source_offsets.front(), source_offsets.back());
        const auto pairs = scorer.pairs.read<std::uint32_t>(first, last);
        std::vector<float> significance(pairs.size(), std::numeric_limits<float>::infinity());
        for (std::size_t s = 0; s < source_counts.size(); ++s) {
          const std::span<const Symbol> source(sources.data() + (source_offsets[s] - source_offsets[0]),
                                               source_offsets[s + 1] - source_offsets[s]);
          const auto of_source = static_cast<std::size_t>(source_pairs_.find(target_key(source)).count);
          for (std::uint64_t rule = rule_offsets[s]; rule < rule_offsets[s + 1]; ++rule) {
            const std::size_t i = rule - first;
            if (pairs[i] == 0) continue;  // made for a single word: nothing to test
            const std::span<const Symbol> target(symbols.data() + (offsets[i] - offsets[0]),
                                                 offsets[i + 1] - offsets[i]);
            const auto of_target = static_cast<std::size_t>(target_pairs_.find(target_key(target)).count);
            significance[i] = static_cast<float>(scorer.fisher->minus_log_p(pairs[i], of_source, of_target));
          }
        }
        scorer.significance->write(first, significance);
      }
      scorer.target_counts.write(first, target_counts);
      scorer.scores.write(4 * first, scores);
    }
  });
}

CollectTotals RuleCollector::finish() {
  totals_.targets = targets_.size();
  totals_.kept_rules = files_ ? files_->rule_count : 0;
  totals_.kept_sources = files_ ? files_->source_count : 0;
  totals_.spilled_bytes = records_->spilled_bytes();
  return totals_;
}

}  // namespace tunesmith
