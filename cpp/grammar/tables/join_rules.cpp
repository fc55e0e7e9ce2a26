#include "grammar/tables/join_rules.hpp"

#include <algorithm>
#include <compare>
#include <numeric>
#include <string>
#include <tuple>

#include "base/error.hpp"

namespace tunesmith {
namespace {

using Side = std::span<const Symbol>;

std::strong_ordering compare(Side a, Side b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

void check_offsets(std::span<const std::uint64_t> offsets, std::size_t size, const char* name) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != size ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw Error(std::string(name) + " must rise from 0 to " + std::to_string(size) + "; the table is damaged");
}

// The symbols of one side of all rules.
class Sides {
 public:
  // `words`: new numbers, or nothing.
  Sides(std::span<const std::uint64_t> offsets, Side symbols, std::span<const Symbol> words, const char* name)
      : offsets_(offsets), symbols_(symbols) {
    check_offsets(offsets, symbols.size(), name);
    if (words.data() == nullptr) return;
    renamed_.reserve(symbols.size());
    for (const Symbol symbol : symbols) {
      if (!is_gap(symbol) && static_cast<std::size_t>(symbol) >= words.size())
        throw Error("a word is not in the vocabulary; the table is damaged");
      renamed_.push_back(is_gap(symbol) ? symbol : words[static_cast<std::size_t>(symbol)]);
    }
    symbols_ = renamed_;
  }
  std::size_t size() const { return offsets_.size() - 1; }
  Side operator[](std::size_t i) const { return symbols_.subspan(offsets_[i], offsets_[i + 1] - offsets_[i]); }

  // The numbers [begin, end) in the order of their symbols.
  std::vector<std::uint64_t> order(std::size_t begin, std::size_t end) const {
    std::vector<std::uint64_t> numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin);
    std::sort(numbers.begin(), numbers.end(),
              [&](std::uint64_t a, std::uint64_t b) { return compare((*this)[a], (*this)[b]) < 0; });
    return numbers;
  }

 private:
  std::span<const std::uint64_t> offsets_;
  Side symbols_;
  std::vector<Symbol> renamed_;
};

// Calls take(a, b) with the numbers of equal sides, in order; -1 where there is none.
void merge(const Sides& first, const std::vector<std::uint64_t>& of_first, const Sides& second,
           const std::vector<std::uint64_t>& of_second, auto&& take) {
  std::size_t a = 0, b = 0;
  while (a < of_first.size() || b < of_second.size()) {
    const auto order = a == of_first.size()    ? std::strong_ordering::greater
                       : b == of_second.size() ? std::strong_ordering::less
                                               : compare(first[of_first[a]], second[of_second[b]]);
    take(order <= 0 ? static_cast<std::int64_t>(of_first[a++]) : -1,
         order >= 0 ? static_cast<std::int64_t>(of_second[b++]) : -1);
  }
}

}  // namespace

JoinedRules join_rules(const TableArrays& first, const TableArrays& second, std::span<const Symbol> source_words,
                       std::span<const Symbol> target_words) {
  const Sides first_sources(first.source_offsets, first.source_symbols, {}, "source_offsets");
  const Sides second_sources(second.source_offsets, second.source_symbols, source_words, "source_offsets");
  const Sides first_targets(first.target_offsets, first.target_symbols, {}, "target_offsets");
  const Sides second_targets(second.target_offsets, second.target_symbols, target_words, "target_offsets");
  for (const auto& [table, sources, targets] : {std::tuple(&first, &first_sources, &first_targets),
                                                std::tuple(&second, &second_sources, &second_targets)}) {
    check_offsets(table->source_rules, targets->size(), "source_rules");
    if (table->source_rules.size() != sources->size() + 1)
      throw Error("source_rules must have an entry for every source side; the table is damaged");
  }
  const auto rules_of = [](const TableArrays& table, const Sides& targets, std::int64_t side) {
    if (side < 0) return std::vector<std::uint64_t>();
    const auto at = static_cast<std::size_t>(side);
    return targets.order(table.source_rules[at], table.source_rules[at + 1]);
  };
  JoinedRules joined;
  merge(first_sources, first_sources.order(0, first_sources.size()), second_sources,
        second_sources.order(0, second_sources.size()), [&](std::int64_t a, std::int64_t b) {
          merge(first_targets, rules_of(first, first_targets, a), second_targets,
                rules_of(second, second_targets, b), [&](std::int64_t rule, std::int64_t other) {
                  joined.first_rules.push_back(rule);
                  joined.second_rules.push_back(other);
                });
          joined.first_sides.push_back(a);
          joined.second_sides.push_back(b);
          joined.rule_ends.push_back(joined.first_rules.size());
        });
  return joined;
}

}  // namespace tunesmith
