// Translations that a user insists on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tunesmith {

struct ForcedPhrase {
  std::vector<std::string> source, target;  // words; at least one of the source
};

// Which of them occur in a sentence: from left to right, the longest first, none inside another one.
class ForcedPhrases {
 public:
  struct Match {
    std::size_t begin, end;  // words
    const ForcedPhrase* phrase;
  };

  ForcedPhrases() = default;
  // Throws Error for a phrase without source words, and for a source that is given twice.
  explicit ForcedPhrases(std::vector<ForcedPhrase> phrases);

  bool empty() const { return by_source_.empty(); }
  std::vector<Match> find(std::span<const std::string_view> words) const;

 private:
  std::unordered_map<std::string, ForcedPhrase> by_source_;  // words joined by blanks
  std::vector<std::size_t> lengths_;                         // that sources have, the longest first
};

}  // namespace tunesmith
