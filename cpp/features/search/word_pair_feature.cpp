#include "features/search/word_pair_feature.hpp"

#include "features/rules/names.hpp"

namespace tunesmith {

std::string WordPairs::detail(std::uint64_t key) const {
  std::string out;
  append_word(first_.word(static_cast<std::int64_t>(key >> 32)), out);
  out += separator_;
  append_word(second_.word(static_cast<std::int64_t>(key & 0xFFFFFFFFu)), out);
  return out;
}

std::optional<std::uint64_t> WordPairs::key(std::string_view detail) const {
  const std::size_t middle = detail.find(separator_);
  if (middle == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text, const Vocabulary& words) -> std::optional<WordId> {
    const std::optional<std::string> word = read_word(text);
    return word ? words.find(*word) : std::nullopt;
  };
  const auto first = number(detail.substr(0, middle), first_), second = number(detail.substr(middle + 1), second_);
  if (!first || !second) return std::nullopt;
  return key(static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*second));
}

}  // namespace tunesmith
