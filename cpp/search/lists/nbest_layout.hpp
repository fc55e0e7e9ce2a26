// The n-best lists whose fields are separated by |||, as toolkits write them.
#pragma once

#include <string_view>

namespace tunesmith {

inline constexpr std::string_view field_separator = "|||";

// In which order the fields after the sentence number and the words come.
//   features_first   features ||| score ||| rest               Moses, cdec, Joshua
//   score_first      score ||| features ||| rest               Travatar
//   alignment_first  [alignment |||] features ||| score        Marian
enum class NbestOrder { features_first, score_first, alignment_first };

// What Marian writes after its features: the scores of the words, as many as there are words.
inline constexpr std::string_view word_scores_label = "WordScores=";

}  // namespace tunesmith
