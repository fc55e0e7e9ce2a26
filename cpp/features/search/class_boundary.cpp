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

template <class Visit>
std::uint32_t ClassBoundary::walk(const Combination& edge, Visit visit) const {
  std::uint32_t last = edge.side.join == Join::begin ? std::uint32_t{Vocabulary::sentence_begin} : none;
  bool inside = false;  // the last word is one of this phrase
  for (const std::int32_t symbol : edge.side.symbols) {
    if (symbol < 0) {
      last = class_of_state(edge.tails[-1 - symbol]);
      inside = false;
      continue;
    }
    const auto word = static_cast<std::uint32_t>(symbol);
    const std::uint32_t found = word < of_words_.size() ? of_words_[word] : unknown_;
    if (last != none && !inside) visit(WordPairs::key(last, found));
    last = found;
    inside = true;
  }
  if (edge.side.join != Join::end) return last;
  if (last != none) visit(WordPairs::key(last, Vocabulary::sentence_end));
  return none;
}

bool ClassBoundary::equal(const std::byte* a, const std::byte* b) const {
  return class_of_state(a) == class_of_state(b);
}

std::uint64_t ClassBoundary::hash(const std::byte* state) const {
  return mix(class_of_state(state), 0);
}

float ClassBoundary::score(const Combination& edge, std::byte* state, float*) const {
  double sum = 0;
  const std::uint32_t last = walk(edge, [&](std::uint64_t key) { sum += weight(key); });
  new (state) std::uint32_t(last);
  return static_cast<float>(sum);
}

void ClassBoundary::list(const Combination& edge, SparseValues& out) const {
  walk(edge, [&](std::uint64_t key) { out.add(key, 1.0f); });
}

namespace {

// Names of classes behind the special words of a vocabulary; a class may be called `<unk>` as one of these.
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
