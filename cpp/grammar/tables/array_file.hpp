// Flat arrays on disk. Numbers are stored as this machine has them; the manifest of a table says which order that
// is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tunesmith {

// Appends numbers to a new file. Throws FileError with the reason of the system.
class ArrayWriter {
 public:
  explicit ArrayWriter(std::string path);
  ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  template <class T>
  void write(std::span<const T> values) {
    write_bytes(values.data(), values.size_bytes());
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(std::span<const T>(values));
  }
  // Nothing is certain to be in the file before this.
  void close();

 private:
  void write_bytes(const void* data, std::size_t size);

  std::string path_;
  int file_ = -1;
  std::vector<char> buffer_;
  void flush();
};

// Reads from any place of a file, writes to any place; for several threads at once.
class ArrayPatch {
 public:
  // `size` ≥ 0: a new file of this many bytes, to read and write; otherwise an existing one, to read.
  explicit ArrayPatch(std::string path, std::int64_t size = -1);
  ~ArrayPatch();
  ArrayPatch(const ArrayPatch&) = delete;
  ArrayPatch& operator=(const ArrayPatch&) = delete;

  template <class T>
  std::vector<T> read(std::uint64_t begin, std::uint64_t end) const {
    std::vector<T> out(static_cast<std::size_t>(end - begin));
    read_bytes(out.data(), out.size() * sizeof(T), begin * sizeof(T));
    return out;
  }
  template <class T>
  void read(std::uint64_t begin, std::span<T> out) const {
    read_bytes(out.data(), out.size_bytes(), begin * sizeof(T));
  }
  template <class T>
  void write(std::uint64_t begin, const std::vector<T>& values) const {
    write_bytes(values.data(), values.size() * sizeof(T), begin * sizeof(T));
  }

 private:
  void read_bytes(void* out, std::size_t size, std::uint64_t at) const;
  void write_bytes(const void* data, std::size_t size, std::uint64_t at) const;

  std::string path_;
  int file_ = -1;
};

}  // namespace tunesmith
