// Subword pieces joined to words: BPE (`fa@@ st`) and SentencePiece (`▁fa st`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"

namespace tunesmith {

// What marks say: bpe, a piece that ends in @@ is continued by the next one (Sennrich et al. 2016);
// sentencepiece, ▁ (U+2581) stands where a word begins (Kudo and Richardson 2018).
enum class SubwordMarks { bpe, sentencepiece };

// Sentences as ids of words: sentence i has the words ids[offsets[i] … offsets[i + 1]] of the table.
struct JoinedWords {
  WordTable table;
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> offsets;
};

// Joins the pieces of every sentence. Each different sequence of pieces is spelt out once; the rest is a look-up
// for each word. Throws Error for ids and offsets that do not fit.
JoinedWords join_pieces(std::span<const std::string_view> vocabulary, std::span<const std::uint32_t> ids,
                        std::span<const std::int64_t> offsets, SubwordMarks marks);

}  // namespace tunesmith
