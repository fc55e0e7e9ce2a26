#include "features/structure/link_bigrams.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/remembered_sums.hpp"
#include "features/search/sparse_weights.hpp"

namespace tunesmith {

// The links of each rule that was met, and sums of the weights of two pairs.
class LinkBigrams::Memory final : public SentenceMemory {
 public:
  explicit Memory(const LinkBigrams& feature) : feature_(feature) {}

  bool lasts() const override { return std::max(sums_.size(), items_.size()) < RememberedSums::most; }
  // Links in the order of the target side: pairs of words as numbers, gaps as -1 - slot.
  std::span<const std::int64_t> links(RuleId rule) {
    const std::uint32_t place = place_of(rule);
    return std::span(items_).subspan(starts_[place], starts_[place + 1] - starts_[place]);
  }
  double sum(std::uint32_t a, std::uint32_t b) {
    return sums_.of(WordPairs::key(a, b), [&] {
      double sum = 0;
      std::array<std::uint64_t, together> keys;
      std::size_t count = 0;
      const auto add = [&] {
        sum = add_weights<together>(sum, std::span(keys).first(count), feature_.ids_, feature_.weights_);
        count = 0;
      };
      feature_.for_each_key(a, b, [&](std::uint64_t key) {
        keys[count++] = key;
        if (count == together) add();
      });
      add();
      return sum;
    });
  }

 private:
  std::uint32_t place_of(RuleId rule) {
    std::uint32_t place = places_.find(rule);
    if (place == NumberTable::none) {
      place = narrow<std::uint32_t>(starts_.size() - 1);
      places_.set(rule, place);
      add(rule);
    }
    return place;
  }
  void add(RuleId rule) {
    const RuleEntry entry = feature_.rules_.entry(rule, feature_.rules_.side_of(rule));
    for (std::size_t at = 0; at < entry.target.size(); ++at) {
      if (is_gap(entry.target[at])) items_.push_back(entry.target[at]);
      for (const RuleLink link : entry.links)  // by source position
        if (link.target == at)
          items_.push_back(feature_.words_.pair(static_cast<std::uint32_t>(entry.source[link.source]),
                                                static_cast<std::uint32_t>(entry.target[at])));
    }
    starts_.push_back(items_.size());
  }

  static constexpr std::size_t together = 32;  // keys

  const LinkBigrams& feature_;
  NumberTable places_;  // of rules in `starts_`
  std::vector<std::size_t> starts_{0};
  std::vector<std::int64_t> items_;
  RememberedSums sums_;
};

std::unique_ptr<SentenceMemory> LinkBigrams::start(const Sentence&) const {
  return std::make_unique<Memory>(*this);
}

template <class Visit>
LinkBigrams::Borders LinkBigrams::walk(const Combination& edge, Visit visit) const {
  Borders out{none, none};
  const auto append = [&](Borders part) {
    if (part.last == none) return;
    if (out.last == none)
      out.first = part.first;
    else
      visit(out.last, part.first);
    out.last = part.last;
  };
  const auto append_tail = [&](std::size_t slot) { append(*reinterpret_cast<const Borders*>(edge.tails[slot])); };
  if (edge.application.rule < rules_.rules()) {
    if (appends_) append_tail(0);
    for (const std::int64_t item : static_cast<Memory*>(edge.memory)->links(edge.application.rule)) {
      if (item >= 0)
        append({static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item)});
      else if (!appends_)
        append_tail(static_cast<std::size_t>(-1 - item));
    }
  } else {
    for (const std::int32_t symbol : edge.side.symbols) {
      if (symbol < 0)
        append_tail(static_cast<std::size_t>(-1 - symbol));
      else
        append({LinkedWords::unknown, LinkedWords::unknown});
    }
  }
  if (edge.side.join == Join::end) return {none, none};  // nothing comes after it
  if (appends_ && out.last != none) out.first = out.last;
  return out;
}

template <class Visit>
void LinkBigrams::for_each_key(std::uint32_t a, std::uint32_t b, Visit visit) const {
  const auto visit_key = [&](std::uint32_t one, std::uint32_t two) { visit(WordPairs::key(one, two)); };
  const std::span<const std::uint32_t> first = words_.forms(a), second = words_.forms(b);
  if (words_.combine() == Combine::paired) {
    for_each_paired_form(first, second, visit_key);
    return;
  }
  for (const std::uint32_t one : first)  // each is different from the others
    for (const std::uint32_t two : second) visit_key(one, two);
}

bool LinkBigrams::equal(const std::byte* a, const std::byte* b) const {
  const auto &left = *reinterpret_cast<const Borders*>(a), &right = *reinterpret_cast<const Borders*>(b);
  return left.first == right.first && left.last == right.last;
}

std::uint64_t LinkBigrams::hash(const std::byte* state) const {
  const auto& borders = *reinterpret_cast<const Borders*>(state);
  return mix(borders.first, borders.last);
}

// Gaps are left out: in searches that append they come after all words.
void LinkBigrams::prepare(const Sentence&, RuleId rule, const TargetSide&, SentenceMemory* kept,
                          std::byte* prepared) const {
  if (!appends_) return;
  Own& own = *new (prepared) Own{{none, none}, 0};
  if (rule >= rules_.rules()) return;
  auto& memory = *static_cast<Memory*>(kept);
  for (const std::int64_t item : memory.links(rule)) {
    if (item < 0) continue;
    const auto link = static_cast<std::uint32_t>(item);
    if (own.borders.last == none)
      own.borders.first = link;
    else
      own.sum += memory.sum(own.borders.last, link);
    own.borders.last = link;
  }
}

float LinkBigrams::score(const Combination& edge, std::byte* state, float*) const {
  auto& memory = *static_cast<Memory*>(edge.memory);
  if (appends_ && edge.application.rule < rules_.rules()) {
    const std::uint32_t before = reinterpret_cast<const Borders*>(edge.tails[0])->last;
    const auto& [borders, own] = *reinterpret_cast<const Own*>(edge.prepared);
    const std::uint32_t last = borders.last == none ? before : borders.last;
    new (state) Borders{last, last};
    return static_cast<float>(before == none || borders.first == none ? own
                                                                      : memory.sum(before, borders.first) + own);
  }
  double sum = 0;
  new (state) Borders(walk(edge, [&](std::uint32_t a, std::uint32_t b) { sum += memory.sum(a, b); }));
  return static_cast<float>(sum);
}

void LinkBigrams::list(const Combination& edge, SparseValues& out) const {
  walk(edge, [&](std::uint32_t a, std::uint32_t b) {
    for_each_key(a, b, [&](std::uint64_t key) { out.add(key, 1.0f); });
  });
}

std::string LinkBigrams::detail(std::uint64_t key) const {
  return words_.name(static_cast<std::uint32_t>(key >> 32)) + '_' +
         words_.name(static_cast<std::uint32_t>(key & 0xFFFFFFFFu));
}

std::optional<std::uint64_t> LinkBigrams::key(std::string_view detail) const {
  const std::size_t middle = detail.find('_');
  if (middle == std::string_view::npos) return std::nullopt;
  const std::uint32_t a = words_.find(detail.substr(0, middle)), b = words_.find(detail.substr(middle + 1));
  if (a == none || b == none) return std::nullopt;
  return WordPairs::key(a, b);
}

constinit const FeatureKind link_bigrams_kind{
    "link_bigrams", serves_all, [](const FeatureInputs& inputs) -> SearchFeature {
      const RuleArrays& rules = inputs.rules;
      return std::make_shared<LinkBigrams>(
          rules,
          LinkedWords(rules, TokenForms(inputs, "source", *rules.source_words),
                      TokenForms(inputs, "target", *rules.target_words), combine_of(inputs)),
          appends(inputs.growth));
    }};

}  // namespace tunesmith
