// Errors of the core. Bindings turn them into the Python errors of the same meaning.
#pragma once

#include <stdexcept>
#include <string>

namespace tunesmith {

// An argument or a piece of data that cannot be used; becomes ValueError in Python.
struct Error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// A file that cannot be read or written; becomes OSError in Python.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tunesmith
