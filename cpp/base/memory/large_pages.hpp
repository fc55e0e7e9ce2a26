// Vectors of millions of numbers that are read here and there.
#pragma once

#include <cstddef>
#include <vector>

#include "base/memory/scratch.hpp"

namespace tunesmith {

// An allocator of huge pages, where the system has them: with pages of 4 KiB nearly every access to an array of
// megabytes also has to look up its page.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  T* allocate(std::size_t size) { return make_scratch<T>(size).release(); }
  void deallocate(T* memory, std::size_t) { FreeScratch()(memory); }
  friend bool operator==(LargePages, LargePages) { return true; }
};
template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace tunesmith
