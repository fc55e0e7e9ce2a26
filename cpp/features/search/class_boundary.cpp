#include "features/search/class_boundary.hpp"

#include <algorithm>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "features/search/given_classes.hpp"

namespace tunesmith {
namespace {

std::uint32_t class_of_state(const std::byte* state) {
  return *reinterpret_cast<const std::uint32_t*>(state);
}

}  // namespace

void ClassBoundary::prepare(const Sentence&, RuleId, const TargetSide& side, SentenceMemory*,
                            std::byte* prepared) const {
  auto& made = *new (prepared) Borders{none, none};
  for (const std::int32_t symbol : side.symbols) {
    if (symbol < 0) continue;
    const auto word = static_cast<std::uint32_t>(symbol);
    made.last = word < of_words_.size() ? of_words_[word] : unknown_;
    if (made.first == none) made.first = made.last;
  }
}

std::optional<ClassBoundary::Borders> ClassBoundary::met(const Combination& edge) const {
  if (edge.side.join == Join::begin) return std::nullopt;
  const std::uint32_t first =
      edge.side.join == Join::end ? std::uint32_t{Vocabulary::sentence_end} : borders(edge).first;
  if (first == none) return std::nullopt;
  return Borders{class_of_state(edge.tails[0]), first};
}

void ClassBoundary::set_weights(std::span<const double> weights) {
  WordPairFeature::set_weights(weights);
  const auto size = static_cast<std::uint32_t>(labels->size());
  if (size > most_in_table) return;
  sums_.assign(std::size_t{size} * size, 0.0);
  for_each_weight(
      [&](std::uint64_t key, double weight) { sums_[(key >> 32) * size + (key & 0xFFFFFFFFu)] = weight; });
}

bool ClassBoundary::equal(const std::byte* a, const std::byte* b) const {
  return class_of_state(a) == class_of_state(b);
}

std::uint64_t ClassBoundary::hash(const std::byte* state) const {
  return mix(class_of_state(state), 0);
}

float ClassBoundary::score(const Combination& edge, std::byte* state, float*) const {
  std::uint32_t last = none;
  if (edge.side.join == Join::begin)
    last = Vocabulary::sentence_begin;
  else if (edge.side.join != Join::end)
    last = borders(edge).last == none ? class_of_state(edge.tails[0]) : borders(edge).last;
  new (state) std::uint32_t(last);
  const std::optional<Borders> pair = met(edge);
  return pair ? static_cast<float>(weight_of(*pair)) : 0.0f;
}

void ClassBoundary::list(const Combination& edge, SparseValues& out) const {
  if (const std::optional<Borders> pair = met(edge)) out.add(WordPairs::key(pair->first, pair->last), 1.0f);
}

namespace {

// Names of classes after the special words of a vocabulary; a class may be called `<unk>` as one of these.
SearchFeature make_boundary(const FeatureInputs& inputs) {
  const GivenClasses given = read_classes(inputs, "", *inputs.rules.target_words);
  std::vector<std::string_view> words(std::begin(Vocabulary::special), std::end(Vocabulary::special));
  for (const std::string& name : given.names)
    if (name != words.front()) words.emplace_back(name);
  auto labels = std::make_shared<const Vocabulary>(words, std::vector<std::int64_t>(words.size()));
  const auto label = [&](std::int32_t number) {
    return static_cast<std::uint32_t>(*labels->find(given.names[static_cast<std::size_t>(number)]));
  };
  std::vector<std::uint32_t> of_words;
  for (const std::int32_t number : given.numbers) of_words.push_back(label(number));
  return std::make_shared<ClassBoundary>(labels, std::move(of_words), label(given.unknown));
}

}  // namespace

constinit const FeatureKind class_boundary_kind{
    "class_boundary", [](Growth growth) { return growth == Growth::by_coverage; }, make_boundary};

}  // namespace tunesmith
