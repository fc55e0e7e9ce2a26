// The arrays of a table that was read as text.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "grammar/tables/array_file.hpp"
#include "grammar/tables/moses_reader.hpp"

namespace tunesmith {

std::pair<Vocabulary, Vocabulary> MosesReader::write(const std::string& folder) {
  if (closed_) throw Error("nothing can be written after a line that is wrong, or twice");
  closed_ = true;
  // Words are numbered by falling count, so that the order of the lines has no influence.
  std::pair<Vocabulary, Vocabulary> vocabularies(source_.choose({}, 1), target_.choose({}, 1));
  const auto renumbered = [](const WordCounter& words, const Vocabulary& vocabulary) {
    std::vector<WordId> ids(words.types());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = *vocabulary.find(words.word(static_cast<WordId>(i)));
    return ids;
  };
  const std::vector<WordId> source_ids = renumbered(source_, vocabularies.first),
                            target_ids = renumbered(target_, vocabularies.second);
  for (const Rule& rule : rules_)
    for (std::size_t i = 0; i < std::size_t{rule.source_size} + rule.target_size; ++i) {
      Symbol& symbol = symbols_[rule.symbols + i];
      if (!is_gap(symbol))
        symbol = (i < rule.source_size ? source_ids : target_ids)[static_cast<std::size_t>(symbol)];
    }

  const auto source = [&](const Rule& rule) {
    return std::span<const Symbol>(symbols_).subspan(rule.symbols, rule.source_size);
  };
  const auto target = [&](const Rule& rule) {
    return std::span<const Symbol>(symbols_).subspan(rule.symbols + rule.source_size, rule.target_size);
  };
  const auto compare = [](std::span<const Symbol> a, std::span<const Symbol> b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  };
  std::vector<std::uint32_t> order(rules_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (const auto by_source = compare(source(rules_[a]), source(rules_[b])); by_source != 0) return by_source < 0;
    if (const auto by_target = compare(target(rules_[a]), target(rules_[b])); by_target != 0) return by_target < 0;
    return a < b;
  });

  const auto file = [&](const char* name) { return std::make_unique<ArrayWriter>(folder + "/" + name); };
  const auto source_offsets = file("source_offsets"), source_symbols = file("source_symbols"),
             source_rules = file("source_rules"), source_counts = file("source_counts"),
             target_offsets = file("target_offsets"), target_symbols = file("target_symbols"),
             link_offsets = file("link_offsets"), links = file("links"), score_rows = file("scores"),
             joint_counts = file("joint_counts"), target_counts = file("target_counts"),
             occurrences = file("occurrences"), pairs = file("pairs");
  const auto one = [](const auto& writer, auto value) {
    writer->write(std::span<const decltype(value)>(&value, 1));
  };
  // Counts are those of occurrences only where none is fractional.
  bool whole = true;
  for (std::size_t k = 2; k < counts_.size(); k += 3)
    whole = whole && counts_[k] == std::floor(counts_[k]) && counts_[k] < 4294967295.0;
  std::uint64_t source_end = 0, target_end = 0, link_end = 0;
  for (const auto* writer : {&source_offsets, &source_rules, &target_offsets, &link_offsets})
    one(*writer, std::uint64_t{0});
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Rule& rule = rules_[order[k]];
    const double* const counts = counts_.data() + 3 * std::size_t{order[k]};
    const bool new_source = k == 0 || compare(source(rules_[order[k - 1]]), source(rule)) != 0;
    if (!new_source) {
      const Rule& before = rules_[order[k - 1]];
      if (compare(target(before), target(rule)) == 0)
        throw LineError(std::int64_t{rule.line} + 1,
                        "the same rule came in line " + std::to_string(before.line + 1));
      if (counts_[3 * std::size_t{order[k - 1]} + 1] != counts[1])
        throw LineError(std::int64_t{rule.line} + 1, "the count of the source side is not that of line " +
                                                         std::to_string(before.line + 1) +
                                                         ", which has the same source side");
    }
    if (new_source) {
      if (k > 0) one(source_rules, static_cast<std::uint64_t>(k));
      source_symbols->write(source(rule));
      one(source_offsets, source_end += rule.source_size);
      one(source_counts, counts[1]);
    }
    target_symbols->write(target(rule));
    one(target_offsets, target_end += rule.target_size);
    links->write(std::span<const RuleLink>(links_).subspan(rule.links, rule.link_count));
    one(link_offsets, link_end += rule.link_count);
    score_rows->write(std::span<const float>(scores_).subspan(std::size_t{order[k]} * score_count_, score_count_));
    one(joint_counts, counts[2]);
    one(target_counts, counts[0]);
    one(occurrences, whole ? static_cast<std::uint32_t>(counts[2]) : std::uint32_t{0});
    one(pairs, std::uint32_t{0});
  }
  if (!order.empty()) one(source_rules, static_cast<std::uint64_t>(order.size()));
  for (const auto* writer :
       {&source_offsets, &source_symbols, &source_rules, &source_counts, &target_offsets, &target_symbols,
        &link_offsets, &links, &score_rows, &joint_counts, &target_counts, &occurrences, &pairs})
    (*writer)->close();
  return vocabularies;
}

}  // namespace tunesmith
