// Memory for numbers that are written before they are read.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tunesmith {

struct FreeScratch {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Scratch = std::unique_ptr<T[], FreeScratch>;

// Room for `size` numbers, not filled. Arrays of megabytes are laid out for huge pages, as NumPy does with its
// own: the first touch of every 4 KiB costs more than all the rest of a pass over them.
template <class T>
Scratch<T> make_scratch(std::size_t size) {
  static_assert(std::is_trivial_v<T>);
  constexpr std::size_t huge = std::size_t{1} << 21;
  if (size > (std::size_t{1} << 60) / sizeof(T)) throw std::bad_alloc();
  const std::size_t bytes = size == 0 ? sizeof(T) : size * sizeof(T);
  void* memory = nullptr;
  if (bytes < 2 * huge) {
    memory = std::malloc(bytes);
  } else {
    const std::size_t whole = (bytes + huge - 1) / huge * huge;
    memory = std::aligned_alloc(huge, whole);
#ifdef __linux__
    if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);
#endif
  }
  if (memory == nullptr) throw std::bad_alloc();
  return Scratch<T>(static_cast<T*>(memory));
}

}  // namespace tunesmith
