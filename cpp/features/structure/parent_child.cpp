#include "features/structure/parent_child.hpp"

#include <algorithm>
#include <map>
#include <new>

#include "base/interned.hpp"
#include "base/narrow.hpp"
#include "base/remembered_sums.hpp"

namespace tunesmith {

class ParentChild::Memory final : public SentenceMemory {
 public:
  // words: a number for the linked source words, 0 if there are none.
  struct Rule {
    std::uint32_t words, gaps;
  };

  explicit Memory(const ParentChild& feature) : feature_(feature) {}

  bool lasts() const override { return std::max(sums_.size(), rules_.size()) < RememberedSums::most; }
  void begin(const Sentence&) override { stacks.clear(); }

  Rule rule(RuleId rule) {
    std::uint32_t both = rules_.find(rule);
    if (both == NumberTable::none) {
      const Rule made = read(rule);
      both = made.words * (most_gaps + 1) + made.gaps;
      rules_.set(rule, both);
    }
    return {both / (most_gaps + 1), both % (most_gaps + 1)};
  }
  Interned<2> stacks;  // below, words
  double sum(std::uint32_t parent, std::uint32_t child) {
    return sums_.of(WordPairs::key(parent, child), [&] {
      double sum = 0;
      for_each_pair(parent, child,
                    [&](std::uint32_t a, std::uint32_t b) { sum += feature_.weight_of_words(a, b); });
      return sum;
    });
  }
  template <class Visit>
  void for_each_pair(std::uint32_t parent, std::uint32_t child, Visit visit) const {
    for (const std::uint32_t a : *words_[parent])
      for (const std::uint32_t b : *words_[child]) visit(a, b);
  }

 private:
  using Words = std::vector<std::uint32_t>;

  Rule read(RuleId rule) {
    Words words;
    std::uint32_t gaps = 0;
    if (rule < feature_.rules_.rules()) {
      const RuleEntry entry = feature_.rules_.entry(rule, feature_.rules_.side_of(rule));
      for (std::size_t at = 0; at < entry.source.size(); ++at) {
        const auto linked = [&](const RuleLink link) { return link.source == at; };
        gaps += is_gap(entry.source[at]);
        if (std::ranges::any_of(entry.links, linked))
          words.push_back(static_cast<std::uint32_t>(entry.source[at]));
      }
      std::ranges::sort(words);
    } else {
      words.push_back(Vocabulary::unknown);
    }
    return {number(words), gaps};
  }
  std::uint32_t number(const Words& words) {
    const auto [found, is_new] = numbers_.try_emplace(words, narrow<std::uint32_t>(words_.size()));
    if (is_new) words_.push_back(&found->first);
    return found->second;
  }

  const ParentChild& feature_;
  static constexpr std::uint32_t most_gaps = 3;
  NumberTable rules_;  // words and gaps as one number
  std::map<Words, std::uint32_t> numbers_{{{}, 0}};
  std::vector<const Words*> words_{&numbers_.begin()->first};
  RememberedSums sums_;
};

std::unique_ptr<SentenceMemory> ParentChild::start(const Sentence&) const {
  return std::make_unique<Memory>(*this);
}

template <class Visit>
std::uint32_t ParentChild::walk(const Combination& edge, Visit visit) const {
  if (edge.side.join != Join::rule && edge.side.join != Join::unknown) return 0;  // glue, or a border
  auto& memory = *static_cast<Memory*>(edge.memory);
  const Memory::Rule own = memory.rule(edge.application.rule);
  if (!appends_) {
    for (const std::int32_t symbol : edge.side.symbols)
      if (symbol < 0) visit(own.words, number_of(edge.tails[-1 - symbol]));
    return own.words;
  }
  std::uint32_t open = number_of(edge.tails[0]);
  if (open != 0) {
    const auto [below, words] = memory.stacks[open];
    visit(words, own.words);
    open = below;
  }
  for (std::uint32_t gap = 0; gap < own.gaps; ++gap) open = memory.stacks.number({open, own.words});
  return open;
}

float ParentChild::score(const Combination& edge, std::byte* state, float*) const {
  double sum = 0;
  auto& memory = *static_cast<Memory*>(edge.memory);
  new (state) std::uint32_t(
      walk(edge, [&](std::uint32_t parent, std::uint32_t child) { sum += memory.sum(parent, child); }));
  return static_cast<float>(sum);
}

void ParentChild::list(const Combination& edge, SparseValues& out) const {
  const auto& memory = *static_cast<const Memory*>(edge.memory);
  walk(edge, [&](std::uint32_t parent, std::uint32_t child) {
    memory.for_each_pair(parent, child, [&](std::uint32_t a, std::uint32_t b) {
      for_each_key(a, b, [&](std::uint64_t key) { out.add(key, 1.0f); });
    });
  });
}

constinit const FeatureKind parent_child_kind{
    "parent_child", [](Growth growth) { return growth != Growth::by_coverage; },
    [](const FeatureInputs& inputs) -> SearchFeature {
      const TokenForms source(inputs, "source", *inputs.rules.source_words);
      return std::make_shared<ParentChild>(inputs.rules, HoldsForms{source, source, combine_of(inputs)},
                                           appends(inputs.growth));
    }};

}  // namespace tunesmith
