#include "decoding/phrase/forced_phrases.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"

namespace tunesmith {
namespace {

template <class Words>
std::string joined(const Words& words) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

}  // namespace

ForcedPhrases::ForcedPhrases(std::vector<ForcedPhrase> phrases) {
  for (ForcedPhrase& phrase : phrases) {
    if (phrase.source.empty()) throw Error("a forced phrase has no source words");
    lengths_.push_back(phrase.source.size());
    const std::string source = joined(phrase.source);
    if (!by_source_.try_emplace(source, std::move(phrase)).second)
      throw Error("two forced phrases translate '" + source + "'");
  }
  std::sort(lengths_.begin(), lengths_.end(), std::greater<>());
  lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
}

std::vector<ForcedPhrases::Match> ForcedPhrases::find(std::span<const std::string_view> words) const {
  std::vector<Match> out;
  for (std::size_t begin = 0; begin < words.size() && !empty(); ++begin)
    for (const std::size_t length : lengths_) {
      if (length > words.size() - begin) continue;
      if (const auto found = by_source_.find(joined(words.subspan(begin, length))); found != by_source_.end()) {
        out.push_back({begin, begin + length, &found->second});
        begin += length - 1;
        break;
      }
    }
  return out;
}

}  // namespace tunesmith
