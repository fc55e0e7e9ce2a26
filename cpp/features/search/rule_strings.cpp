#include "features/search/rule_strings.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/probe.hpp"
#include "features/rules/names.hpp"

namespace tunesmith {
namespace {

constexpr std::int32_t end_of_source = std::numeric_limits<std::int32_t>::min();  // no class

void append_side(std::span<const std::int32_t> classes, const WordLabels& labels, std::string& out) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (i > 0) out += '_';
    append_word(labels.name(classes[i]), out);
  }
}

// False for a class that there is not.
template <class Names>
bool read_side(std::string_view text, const Names& names, std::vector<std::int32_t>& out) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('_', begin), text.size());
    const std::optional<std::string> word = read_word(text.substr(begin, end - begin));
    const auto found = word ? names.find(*word) : names.end();
    if (found == names.end()) return false;
    out.push_back(found->second);
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::optional<std::uint32_t> WordStrings::find(std::string_view name) const {
  const std::optional<RuleId> rule = names_.find(name);
  if (!rule || of(*rule) == none) return std::nullopt;
  return *rule;
}

ClassStrings::ClassStrings(const RuleArrays& rules, SideClasses source, SideClasses target)
    : source_(std::move(source)),
      target_(std::move(target)),
      source_names_(names_of(source_.labels)),
      target_names_(names_of(target_.labels)) {
  of_rules_.reserve(rules.rules());
  std::vector<std::int32_t> found;
  rules.for_each(0, rules.rules(), [&](const RuleEntry& rule) {
    found.clear();
    for (const Symbol symbol : rule.source) found.push_back(source_.labels.of(symbol));
    found.push_back(end_of_source);
    for (const Symbol symbol : rule.target) found.push_back(target_.labels.of(symbol));
    of_rules_.push_back(add(found));
  });
  const std::int32_t passed[] = {source_.unknown, end_of_source, target_.unknown};
  passed_ = add(passed);
}

ClassStrings::Names ClassStrings::names_of(const WordLabels& labels) {
  Names names;
  for (std::size_t number = 0; number < labels.size(); ++number)
    names.emplace(labels.name(static_cast<std::int32_t>(number)), static_cast<std::int32_t>(number));
  return names;
}

ClassStrings::Classes ClassStrings::classes(std::uint32_t string) const {
  return Classes(symbols_).subspan(starts_[string], starts_[string + 1] - starts_[string]);
}

std::size_t ClassStrings::slot_of(Classes wanted) const {
  const std::uint64_t hash = hash_bytes({reinterpret_cast<const char*>(wanted.data()), wanted.size_bytes()});
  return probe(slots_, hash, [&](std::uint32_t string) {
    return string == none || std::ranges::equal(classes(string), wanted);
  });
}

std::uint32_t ClassStrings::add(Classes found) {
  if (const std::uint32_t known = slots_[slot_of(found)]; known != none) return known;
  const auto number = narrow<std::uint32_t>(size());
  symbols_.insert(symbols_.end(), found.begin(), found.end());
  starts_.push_back(symbols_.size());
  if (2 * size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), none);
    for (std::uint32_t string = 0; string < number; ++string) slots_[slot_of(classes(string))] = string;
  }
  slots_[slot_of(found)] = number;
  return number;
}

std::string ClassStrings::name(std::uint32_t string) const {
  const Classes found = classes(string);
  const auto middle = static_cast<std::size_t>(std::ranges::find(found, end_of_source) - found.begin());
  std::string out;
  append_side(found.first(middle), source_.labels, out);
  out += '|';
  append_side(found.subspan(middle + 1), target_.labels, out);
  return out;
}

std::optional<std::uint32_t> ClassStrings::find(std::string_view name) const {
  const std::size_t middle = name.find('|');
  if (middle == std::string_view::npos) return std::nullopt;
  std::vector<std::int32_t> wanted;
  if (!read_side(name.substr(0, middle), source_names_, wanted)) return std::nullopt;
  wanted.push_back(end_of_source);
  if (!read_side(name.substr(middle + 1), target_names_, wanted)) return std::nullopt;
  const std::uint32_t found = slots_[slot_of(wanted)];
  return found == none ? std::nullopt : std::optional(found);
}

}  // namespace tunesmith
