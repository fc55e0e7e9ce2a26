// What reading and writing the text format of Moses share.
#pragma once

#include <string>
#include <string_view>

namespace tunesmith::moses {

inline constexpr std::string_view bar = "|||";

// Labels and gaps; words with brackets are written &#91; &#93;.
inline bool in_brackets(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']';
}

}  // namespace tunesmith::moses
