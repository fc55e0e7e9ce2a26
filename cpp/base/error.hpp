// Errors of the core. Bindings turn them into the Python errors of the same meaning.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tunesmith {

// An argument or a piece of data that cannot be used; becomes ValueError in Python.
struct Error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Data that cannot be used, with the line (from 1; 0 if no line is to blame) where it stands; becomes
// ValueError(message, line) in Python, where whoever knows the path makes a FormatError of it.
struct LineError : Error {
  LineError(std::int64_t at, const std::string& message) : Error(message), line(at) {}
  std::int64_t line;
};

// The system cannot do what was asked: a file cannot be read or written (disk full, no such folder), or there is
// no memory to map it into; becomes OSError in Python.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tunesmith
