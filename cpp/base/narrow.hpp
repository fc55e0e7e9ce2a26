// Numbers of things stored in fewer bits than sizes have, checked.
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace tunesmith {

template <class To>
[[noreturn]] [[gnu::cold]] [[gnu::noinline]] void too_many(const std::string& count, const char* what) {
  throw Error(count + " " + what + " are too many: at most " + std::to_string(std::numeric_limits<To>::max()) +
              " can be numbered. Give less input at once, or limit the search (max_words, max_edges, max_bytes)");
}

// The count as a smaller type. Throws Error, saying what there is too much of, where it does not fit: a plain cast
// would continue with another number.
template <std::integral To, std::integral From>
constexpr To narrow(From count, const char* what = "entries of a table") {
  if (!std::in_range<To>(count)) [[unlikely]]
    too_many<To>(std::to_string(count), what);
  return static_cast<To>(count);
}

}  // namespace tunesmith
