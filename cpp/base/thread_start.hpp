// What a thread does first.
#pragma once

#include <exception>

namespace tunesmith {

// Has the system give the thread its own copy of thread-local data now. Where that is first asked for by an
// exception that says that there is no memory left, the system ends the process instead of throwing it.
inline void prepare_thread() {
  [[maybe_unused]] static thread_local volatile int
      touched;  // the data of this library, and that of the exceptions
  touched = std::uncaught_exceptions();
}

}  // namespace tunesmith
