// A file without a name for data that does not fit in memory. It is gone when the object or the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tunesmith {

// Throws FileError with the reason of the system.
class TemporaryFile {
 public:
  // Makes a file in `folder`, unlinked right after it was opened: not even a crash leaves it behind.
  explicit TemporaryFile(const std::string& folder);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;

  std::uint64_t size() const { return size_; }
  void append(const void* data, std::size_t bytes);
  // Reads exactly `bytes` bytes that were written before.
  void read(std::uint64_t offset, void* data, std::size_t bytes) const;

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tunesmith
