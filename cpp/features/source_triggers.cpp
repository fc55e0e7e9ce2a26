#include "features/source_triggers.hpp"

#include "features/names.hpp"

namespace tunesmith {
namespace {

std::uint64_t pair_key(std::uint32_t source, std::uint32_t target) {
  return static_cast<std::uint64_t>(source) << 32 | target;
}

}  // namespace

template <class Visit>
void SourceTriggers::for_each_target(const Combination& edge, Visit visit) const {
  for (const std::int32_t symbol : edge.side.symbols) {
    if (symbol < 0) continue;
    auto word = static_cast<std::uint32_t>(symbol);
    if (word >= edge.side.vocabulary)
      word =
          static_cast<std::uint32_t>(target_->find(edge.sentence.text[word - edge.side.vocabulary]).value_or(0));
    if (word != Vocabulary::unknown) visit(word);
  }
}

double SourceTriggers::weight_of_word(const Sentence& sentence, std::uint32_t word) const {
  SparseIds& known = sentence.trigger_sums.places;
  std::vector<double>& sums = sentence.trigger_sums.sums;
  if (const std::uint32_t place = known.find(word); place != SparseIds::none) return sums[place];
  double sum = 0;
  for (const std::uint32_t source : sentence.known) {
    const std::uint32_t id = ids_.find(pair_key(source, word));
    if (id < weights_.size()) sum += weights_[id];
  }
  known.set(word, static_cast<std::uint32_t>(sums.size()));
  sums.push_back(sum);
  return sum;
}

float SourceTriggers::place_score(const Combination& edge) const {
  double sum = 0;
  for_each_target(edge, [&](std::uint32_t word) { sum += weight_of_word(edge.sentence, word); });
  return static_cast<float>(sum);
}

void SourceTriggers::list(const Combination& edge, SparseValues& out) const {
  for_each_target(edge, [&](std::uint32_t word) {
    for (const std::uint32_t source : edge.sentence.known) out.add(pair_key(source, word), 1.0f);
  });
}

std::string SourceTriggers::detail(std::uint64_t key) const {
  std::string out;
  append_word(source_->word(static_cast<std::int64_t>(key >> 32)), out);
  out += '|';
  append_word(target_->word(static_cast<std::int64_t>(key & 0xFFFFFFFFu)), out);
  return out;
}

std::optional<std::uint64_t> SourceTriggers::key(std::string_view detail) const {
  const std::size_t middle = detail.find('|');
  if (middle == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text, const Vocabulary& words) -> std::optional<WordId> {
    const std::optional<std::string> word = read_word(text);
    return word ? words.find(*word) : std::nullopt;
  };
  const auto source = number(detail.substr(0, middle), *source_),
             target = number(detail.substr(middle + 1), *target_);
  if (!source || !target || *source == Vocabulary::unknown || *target == Vocabulary::unknown) return std::nullopt;
  return pair_key(static_cast<std::uint32_t>(*source), static_cast<std::uint32_t>(*target));
}

}  // namespace tunesmith
