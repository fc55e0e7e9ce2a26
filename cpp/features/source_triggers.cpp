#include "features/source_triggers.hpp"

#include "base/narrow.hpp"

namespace tunesmith {

template <class Visit>
void SourceTriggers::for_each_target(const Combination& edge, Visit visit) const {
  for (const std::int32_t symbol : edge.side.symbols) {
    if (symbol < 0) continue;
    const std::uint32_t word = target_word(symbol, edge.side, edge.sentence, *target_);
    if (word != Vocabulary::unknown) visit(word);
  }
}

double SourceTriggers::weight_of_word(const Sentence& sentence, std::uint32_t word) const {
  NumberTable& known = sentence.trigger_sums.places;
  std::vector<double>& sums = sentence.trigger_sums.sums;
  if (const std::uint32_t place = known.find(word); place != NumberTable::none) return sums[place];
  double sum = 0;
  for (const std::uint32_t source : sentence.known) sum += weight(pair_key(source, word));
  known.set(word, narrow<std::uint32_t>(sums.size()));
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

std::optional<std::uint64_t> SourceTriggers::key(std::string_view detail) const {
  const auto found = WordPairFeature::key(detail);
  if (!found || *found >> 32 == Vocabulary::unknown || (*found & 0xFFFFFFFFu) == Vocabulary::unknown)
    return std::nullopt;
  return found;
}

}  // namespace tunesmith
