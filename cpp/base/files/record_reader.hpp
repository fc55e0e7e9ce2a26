// Sorted records, read front to back: from memory, or merged from sorted runs of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/files/temporary_file.hpp"

namespace tunesmith {

class RecordReader {
 public:
  // Bytes of a file that hold sorted records.
  struct Extent {
    std::uint64_t begin, end;
  };

  RecordReader() = default;
  // Records of `width` words in memory, as they are.
  RecordReader(const std::uint32_t* begin, const std::uint32_t* end, std::size_t width);
  // Runs of a file, which outlives the reader. Where `sum_key` is not 0, records with the same first `sum_key`
  // words become one, as `sort_records` joins them. All buffers together have `bytes`, and are there while it is
  // read.
  RecordReader(const TemporaryFile& file, const std::vector<Extent>& runs, std::size_t width, std::size_t sum_key,
               std::size_t bytes);

  // Begins: head() is then the first record in order, nullptr after the last one.
  void start();
  const std::uint32_t* head() const { return head_; }
  void advance() {
    if (file_ != nullptr) return merge();
    head_ += width_;
    if (head_ == end_) head_ = nullptr;
  }

 private:
  struct Run {
    Extent left;
    std::vector<std::uint32_t> buffer{};
    std::size_t at = 0, filled = 0;

    bool refill(const TemporaryFile& file);
  };

  void merge();
  const std::uint32_t* peek() const;
  void pop();
  bool is_later(std::size_t a, std::size_t b) const;

  std::size_t width_ = 0, sum_key_ = 0, bytes_ = 0;
  const std::uint32_t *head_ = nullptr, *begin_ = nullptr, *end_ = nullptr;
  const TemporaryFile* file_ = nullptr;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;       // runs by their first record, smallest on top
  std::vector<std::uint32_t> current_;  // the head of a merge
};

}  // namespace tunesmith
