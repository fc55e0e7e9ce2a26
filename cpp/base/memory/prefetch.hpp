// Loops that ask for memory before they need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tunesmith {

// Calls `use(id)` for each id, and `ask(id)` some ids earlier, which prefetches what `use` reads. For ids that lie
// anywhere in large arrays, where branches of `use` keep the processor from looking ahead by itself.
template <class Ask, class Use>
void for_each_ahead(std::span<const std::uint32_t> ids, Ask ask, Use use) {
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < ids.size() && i < ahead; ++i) ask(ids[i]);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + ahead < ids.size()) ask(ids[i + ahead]);
    use(ids[i]);
  }
}

// Asks for all of an array that is read soon, from one end to the other.
template <class T>
void prefetch_all(const T* values, std::size_t count) {
  constexpr std::size_t line = 64;
  const auto* const bytes = reinterpret_cast<const char*>(values);
  for (std::size_t at = 0; at < count * sizeof(T); at += line) __builtin_prefetch(bytes + at);
}

}  // namespace tunesmith
