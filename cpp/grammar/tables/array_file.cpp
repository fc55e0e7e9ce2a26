#include "grammar/tables/array_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw FileError(path + ": cannot be " + what + " (" + std::strerror(errno) + ")");
}

void write_all(int file, const void* data, std::size_t size, const std::string& path) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(file, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path, "written");
    at += done;
    size -= static_cast<std::size_t>(done);
  }
}

}  // namespace

ArrayWriter::ArrayWriter(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path_, "written");
}

ArrayWriter::~ArrayWriter() {
  if (file_ >= 0) ::close(file_);
}

void ArrayWriter::flush() {
  write_all(file_, buffer_.data(), buffer_.size(), path_);
  buffer_.clear();
}

void ArrayWriter::write_bytes(const void* data, std::size_t size) {
  if (size == 0) return;
  if (buffer_.size() + size > buffer_size) flush();
  if (size >= buffer_size) {
    write_all(file_, data, size, path_);
    return;
  }
  const char* bytes = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), bytes, bytes + size);
}

void ArrayWriter::close() {
  if (file_ < 0) return;
  flush();
  const int ended = ::close(file_);
  file_ = -1;
  if (ended != 0) fail(path_, "written");
}

ArrayPatch::ArrayPatch(std::string path, std::int64_t size) : path_(std::move(path)) {
  file_ = size < 0 ? ::open(path_.c_str(), O_RDONLY | O_CLOEXEC)
                   : ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path_, size < 0 ? "read" : "written");
  if (size >= 0 && ::ftruncate(file_, size) != 0) {
    ::close(file_);
    fail(path_, "written");
  }
}

ArrayPatch::~ArrayPatch() {
  if (file_ >= 0) ::close(file_);
}

void ArrayPatch::read_bytes(void* out, std::size_t size, std::uint64_t at) const {
  char* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t done = ::pread(file_, to, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path_, "read");
    if (done == 0) throw FileError(path_ + ": ends too early");
    to += done;
    at += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

void ArrayPatch::write_bytes(const void* data, std::size_t size, std::uint64_t at) const {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::pwrite(file_, from, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path_, "written");
    from += done;
    at += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

}  // namespace tunesmith
