// Rule tables as text in the format of Moses (moses_reader.hpp shows it).
#pragma once

#include <string>

#include "corpus/vocab.hpp"
#include "grammar/tables/table_arrays.hpp"

namespace tunesmith {

struct MosesStyle {
  bool hiero = false;
  std::size_t scores = 4, counts = 3;
  std::string label = "X";
  bool escape = false;  // & | < > ' " [ ] as &amp; &#124; …
};

// The lines of the rules of source sides [begin, end). Throws Error for damaged arrays, and for a word that would
// be read as something else.
std::string format_moses(const TableArrays& table, const Vocabulary& source, const Vocabulary& target,
                         const MosesStyle& style, std::size_t begin, std::size_t end);

}  // namespace tunesmith
