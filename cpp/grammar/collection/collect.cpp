#include "grammar/collection/collect.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "grammar/collection/part_collector.hpp"
#include "grammar/tables/array_file.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t least_memory = std::size_t{1} << 20;

}  // namespace

RuleCollector::RuleCollector(WordNumbers source, WordNumbers target, const Alignments& alignments,
                             std::span<const std::uint64_t> labels, const LexicalTable& target_given_source,
                             const LexicalTable& source_given_target, const SourceFilter* filter,
                             CollectOptions options)
    : source_(source),
      target_(target),
      alignments_(alignments),
      labels_(labels.begin(), labels.end()),
      forward_table_(target_given_source),
      forward_(target_given_source, options.lexical_decimals),
      backward_(source_given_target, options.lexical_decimals),
      filter_(filter),
      options_(std::move(options)) {
  if (options_.phrase.has_value() == options_.hiero.has_value())
    throw Error("either phrase pairs or hierarchical rules are extracted");
  if (options_.memory < least_memory)
    throw Error("memory must be at least " + std::to_string(least_memory) + " bytes, not " +
                std::to_string(options_.memory));
  if (options_.phrase) check_options(*options_.phrase);
  if (options_.hiero) check_options(*options_.hiero);
  if (options_.reordering) check_options(*options_.reordering);
  if (options_.hiero && options_.reordering) throw Error("lexicalised reordering is for phrase pairs");
  if (source_.size() != target_.size() || source_.size() != alignments_.size())
    throw Error(std::to_string(source_.size()) + " source sentences, " + std::to_string(target_.size()) +
                " target sentences and " + std::to_string(alignments_.size()) + " alignments");
  if (!labels.empty() && labels.size() != source_.size())
    throw Error(std::to_string(labels.size()) + " labels for " + std::to_string(source_.size()) +
                " sentence pairs");
  for (std::size_t i = 0; i < alignments_.size(); ++i)
    for (const Link& link : alignments_.of(i))
      if (static_cast<std::size_t>(link.source) >= source_.of(i).size() ||
          static_cast<std::size_t>(link.target) >= target_.of(i).size())
        throw LineError(static_cast<std::int64_t>(i) + 1,
                        "link " + std::to_string(link.source) + '-' + std::to_string(link.target) +
                            " points outside the sentences, which have " + std::to_string(source_.of(i).size()) +
                            " and " + std::to_string(target_.of(i).size()) + " words");
  const WordId last = source_.ids.empty() ? 0 : *std::max_element(source_.ids.begin(), source_.ids.end());
  seen_alone_.assign(static_cast<std::size_t>(last) + 1, 0);
  seen_inside_ = seen_alone_;
  choose_parts();
}

std::size_t RuleCollector::parts() {
  if (files_) throw Error("the parts were counted before");
  if (options_.single_words) make_single_words();
  sums_.targets = std::make_unique<KeyedSums>(totals_.occurrences + totals_.single_words, options_.scratch,
                                              "targets", options_.memory, options_.threads);
  if (options_.smoothing == RuleSmoothing::kneser_ney)
    sums_.target_shares = std::make_unique<KeyedSums>(3 * totals_.occurrences, options_.scratch, "shares",
                                                      options_.memory, options_.threads);
  files_ = std::make_unique<TableFiles>(options_.folder, options_.scratch, !labels_.empty(),
                                        options_.reordering.has_value());
  return records_->size();
}

// Threads take parts in turn. Who has a part ready writes it and those that wait after it, if it is their turn;
// else the part waits and the thread takes another one, as long as not more parts wait than there are threads.
void RuleCollector::write(std::size_t begin, std::size_t end) {
  if (!files_ || end > records_->size() || begin > end) throw Error("there are no such parts");
  std::atomic<std::size_t> next = begin;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, PartRules> ready;
  std::size_t written = begin;
  bool writing = false, failed = false;
  const PartContext context{options_, labels_, forward_, backward_, filter_, sums_};
  const std::size_t workers = useful_threads(options_.threads);
  const auto hand_over = [&](std::size_t part, PartRules rules) {
    std::unique_lock lock(mutex);
    ready.emplace(part, std::move(rules));
    while (!writing && !failed && !ready.empty() && ready.begin()->first == written) {
      auto first = ready.extract(ready.begin());
      writing = true;
      lock.unlock();
      write_part(first.mapped());
      lock.lock();
      writing = false;
      ++written;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return failed || ready.size() < workers; });
    return !failed;
  };
  parallel_ranges(workers, options_.threads, [&](std::size_t, std::size_t) {
    try {
      for (std::size_t part = next++; part < end; part = next++)
        if (!hand_over(part, collect_part(context, static_cast<std::uint32_t>(part), records_->take(part))))
          return;
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failed = true;
      changed.notify_all();
      throw;
    }
  });
}

void RuleCollector::write_part(PartRules& rules) {
  rule_begins_.push_back(files_->rules());
  source_begins_.push_back(files_->sources());
  files_->write(rules);
  totals_.rules += rules.all_rules;
  totals_.sources += rules.all_sources;
  for (const auto& [occurrences, number] : rules.counts_of_counts) totals_.counts_of_counts[occurrences] += number;
}

std::size_t RuleCollector::sums() {
  if (!files_ || rule_begins_.size() != records_->size())
    throw Error("first all parts are written, then the sums are begun once");
  files_->close();
  rule_begins_.push_back(files_->rules());
  source_begins_.push_back(files_->sources());
  std::size_t steps = 0;
  std::vector<std::uint64_t> share_begins;
  for (const std::uint64_t begin : rule_begins_) share_begins.push_back(3 * begin);
  for (KeyedSums* const sums : sums_.all()) {
    sums->begin_sums(sums == sums_.source_pairs.get()    ? source_begins_
                     : sums == sums_.target_shares.get() ? share_begins
                                                         : rule_begins_);
    steps += sums->steps();
  }
  return steps;
}

void RuleCollector::sum(std::size_t begin, std::size_t end) {
  if (rule_begins_.size() <= records_->size()) throw Error("the sums are not begun");
  std::size_t before = 0;
  for (KeyedSums* const sums : sums_.all()) {
    const std::size_t after = before + sums->steps();
    sums->run_steps(std::clamp(begin, before, after) - before, std::clamp(end, before, after) - before);
    before = after;
  }
}

std::size_t RuleCollector::sources() {
  if (rule_begins_.size() <= records_->size() || scorer_)
    throw Error("first all sums are made, then the source sides are counted once");
  scorer_ =
      std::make_unique<RuleScorer>(options_, files_->rules(), totals_.counts_of_counts, source_, target_, sums_);
  return files_->sources();
}

void RuleCollector::score(std::size_t begin, std::size_t end) {
  if (!scorer_ || end > files_->sources() || begin > end) throw Error("there are no such source sides");
  scorer_->score(begin, end);
}

CollectTotals RuleCollector::finish() {
  totals_.targets = sums_.targets ? sums_.targets->keys() : 0;
  return totals_;
}

}  // namespace tunesmith
