#include "grammar/collection/rule_scorer.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

#include "base/parallel.hpp"
#include "grammar/collection/counts.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t sides_of_block = 1 << 14;

}  // namespace

RuleScorer::RuleScorer(const CollectOptions& options, std::uint64_t rules, const CountsOfCounts& counts_of_counts,
                       const WordNumbers& source, const WordNumbers& target, const SideSums& sides)
    : threads_(options.threads),
      sides_(sides),
      source_offsets_(options.folder + "/source_offsets"),
      source_symbols_(options.folder + "/source_symbols"),
      target_offsets_(options.folder + "/target_offsets"),
      target_symbols_(options.folder + "/target_symbols"),
      source_rules_(options.folder + "/source_rules"),
      source_counts_(options.folder + "/source_counts"),
      joint_counts_(options.folder + "/joint_counts"),
      pairs_(options.folder + "/pairs"),
      lexical_(options.scratch + "/lexical"),
      source_shares_(options.scratch + "/source_shares"),
      source_orders_(options.scratch + "/source_orders"),
      occurrences_(options.folder + "/occurrences"),
      target_counts_(options.folder + "/target_counts", static_cast<std::int64_t>(rules * sizeof(double))),
      scores_(options.folder + "/scores", static_cast<std::int64_t>(rules * 4 * sizeof(float))),
      probability_(options.smoothing, counts_of_counts) {
  if (!options.significance) return;
  significance_ = std::make_unique<ArrayPatch>(options.folder + "/significance",
                                               static_cast<std::int64_t>(rules * sizeof(float)));
  fisher_ = std::make_unique<FisherTest>(source.size());
  if (options.phrase)
    containment_ = std::make_unique<Containment>(source, target, options.phrase->max_length, options.threads);
}

struct RuleScorer::Block {
  Block(const RuleScorer& scorer, std::size_t from, std::size_t to)
      : begin(from),
        end(to),
        rule_offsets(scorer.source_rules_.read<std::uint64_t>(from, to + 1)),
        first(rule_offsets.front()),
        last(rule_offsets.back()) {
    if (!scorer.sides_.target_shares && !scorer.containment_) return;
    target_offsets = scorer.target_offsets_.read<std::uint64_t>(first, last + 1);
    target_symbols = scorer.target_symbols_.read<Symbol>(target_offsets.front(), target_offsets.back());
  }

  std::size_t sides() const { return end - begin; }
  std::size_t rules() const { return last - first; }
  // Places of the rules of a source side of the block, among those of the block.
  std::size_t rules_begin(std::size_t side) const { return rule_offsets[side] - first; }
  std::span<const Symbol> target(std::size_t rule) const {
    return std::span<const Symbol>(target_symbols)
        .subspan(target_offsets[rule] - target_offsets[0], target_offsets[rule + 1] - target_offsets[rule]);
  }

  std::size_t begin, end;
  std::vector<std::uint64_t> rule_offsets;
  std::uint64_t first, last;                  // rules
  std::vector<std::uint64_t> target_offsets;  // where target sides are needed
  std::vector<Symbol> target_symbols;
};

void RuleScorer::score(std::size_t begin, std::size_t end) const {
  std::atomic<std::size_t> next = begin;
  const std::size_t workers = static_cast<std::size_t>(std::max(threads_, 1));
  parallel_ranges(workers, threads_, [&](std::size_t, std::size_t) {
    std::optional<Containment::Counter> counter;
    if (containment_) counter.emplace(*containment_);
    for (std::size_t from = next.fetch_add(sides_of_block); from < end; from = next.fetch_add(sides_of_block)) {
      const Block block(*this, from, std::min(from + sides_of_block, end));
      score_block(block);
      if (significance_) test_block(block, counter ? &*counter : nullptr);
    }
  });
}

void RuleScorer::score_block(const Block& block) const {
  const auto source_counts = source_counts_.read<double>(block.begin, block.end);
  const auto source_shares = source_shares_.read<double>(3 * block.begin, 3 * block.end);
  const auto source_orders = source_orders_.read<std::uint32_t>(2 * block.begin, 2 * block.end);
  const auto joint = joint_counts_.read<double>(block.first, block.last);
  const auto occurrences = occurrences_.read<std::uint32_t>(block.first, block.last);
  const auto lexical = lexical_.read<float>(2 * block.first, 2 * block.last);
  const auto targets = sides_.targets->read(block.first, block.last);
  const KeyedSums* const shares = sides_.target_shares.get();
  const auto target_shares = shares ? shares->read(3 * block.first, 3 * block.last) : std::vector<KeyedSum>();
  std::vector<double> target_counts(block.rules());
  std::vector<float> scores(4 * block.rules());
  for (std::size_t s = 0; s < block.sides(); ++s)
    for (std::size_t i = block.rules_begin(s); i < block.rules_begin(s + 1); ++i) {
      target_counts[i] = as_double(targets[i].count);
      float* const out = scores.data() + 4 * i;
      out[1] = lexical[2 * i];
      out[3] = lexical[2 * i + 1];
      if (joint[i] == 0) {  // a rule for a single word, made from the lexical table
        out[0] = out[1];
        out[2] = out[3];
        continue;
      }
      // Kneser-Ney looks at how many rules have the order of the gaps that this one has; others need not know.
      std::size_t order = 0;
      Shares given_source = {}, given_target = {};
      if (shares) {
        order = is_swapped(block.target(i)) ? 1 : 0;
        for (std::size_t k = 0; k < 3; ++k) {
          given_source[k] = source_shares[3 * s + k];
          given_target[k] = as_double(target_shares[3 * i + k].count);
        }
      }
      out[0] = static_cast<float>(
          probability_(joint[i], occurrences[i], target_counts[i], given_target, source_orders[2 * s + order]));
      out[2] = static_cast<float>(
          probability_(joint[i], occurrences[i], source_counts[s], given_source, targets[i].kinds[order]));
    }
  target_counts_.write(block.first, target_counts);
  scores_.write(4 * block.first, scores);
}

void RuleScorer::test_block(const Block& block, Containment::Counter* counter) const {
  const auto pairs = pairs_.read<std::uint32_t>(block.first, block.last);
  std::vector<float> significance(block.rules(), std::numeric_limits<float>::infinity());
  const auto test_rules = [&](auto&& take_source, auto&& count) {
    for (std::size_t s = 0; s < block.sides(); ++s) {
      take_source(s);
      for (std::size_t i = block.rules_begin(s); i < block.rules_begin(s + 1); ++i) {
        if (pairs[i] == 0) continue;  // made for a single word: nothing to test
        const Containment::Counts counts = count(s, i);
        significance[i] = static_cast<float>(fisher_->minus_log_p(counts.both, counts.source, counts.target));
      }
    }
  };
  if (counter) {
    const auto offsets = source_offsets_.read<std::uint64_t>(block.begin, block.end + 1);
    const auto symbols = source_symbols_.read<Symbol>(offsets.front(), offsets.back());
    test_rules(
        [&](std::size_t s) {
          counter->take_source({symbols.data() + (offsets[s] - offsets[0]), offsets[s + 1] - offsets[s]});
        },
        [&](std::size_t, std::size_t i) { return counter->count(block.target(i)); });
  } else {
    const auto source_pairs = sides_.source_pairs->read(block.begin, block.end);
    const auto target_pairs = sides_.target_pairs->read(block.first, block.last);
    test_rules([](std::size_t) {},
               [&](std::size_t s, std::size_t i) {
                 return Containment::Counts{pairs[i], static_cast<std::size_t>(source_pairs[s].count),
                                            static_cast<std::size_t>(target_pairs[i].count)};
               });
  }
  significance_->write(block.first, significance);
}

}  // namespace tunesmith
