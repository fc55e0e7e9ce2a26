// Memory that the program has freed and the system has not got back.
#pragma once

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tunesmith {

// Gives pages of freed memory back to the system. The allocator keeps what lies below memory in use, and all of
// the larger and larger arrays that it no longer maps one by one; after work of another size that is memory for
// nothing. Takes milliseconds for each gigabyte.
inline void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace tunesmith
