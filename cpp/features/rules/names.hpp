// Words and rules inside names of features.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "corpus/vocab.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// Appends a word as names write it: `%`, `_`, `|` and `=` as % and two hexadecimal digits, and so the bracket of a
// word that would be read as a gap. Different words have different spellings, none of which holds `_` or `|`.
void append_word(std::string_view word, std::string& out);

// Appends symbols joined by `_`, gaps as [X,1] and [X,2].
void append_symbols(std::span<const Symbol> symbols, const Vocabulary& words, std::string& out);

// The inverse of append_word; nothing for a text that it does not write.
std::optional<std::string> read_word(std::string_view text);

// The inverse of append_symbols, into `out`. False for what it does not write, and for a word that is not in the
// list.
bool read_symbols(std::string_view text, const Vocabulary& words, std::vector<Symbol>& out);

}  // namespace tunesmith
