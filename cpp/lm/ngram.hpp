// What all of the language model agrees on: the longest n-gram, the special words, the layout of an n-gram in a
// record, and how progress is reported.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace tunesmith::lm {

inline constexpr int max_order = 9;

// Word numbers as in corpus/vocab.hpp.
inline constexpr std::uint32_t unknown = 0, sentence_begin = 1, sentence_end = 2;
inline constexpr std::string_view special_words[3] = {"<unk>", "<s>", "</s>"};

// Records hold the n-gram w1 … wn in *context order*: w(n-1), …, w1, then wn. Sorted by it, the words that follow
// one context stand together, and the contexts that end in one shorter context stand together around it.

// Called with (done, total) in records; may throw to stop the work.
using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

}  // namespace tunesmith::lm
