// External sort of fixed-width records: everything stays in memory while it fits, otherwise sorted runs go to
// temporary files and are merged. The sorted sequence does not depend on the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temporary_file.hpp"

namespace tunesmith {

class RecordSorter {
 public:
  static constexpr std::size_t max_width = 12;

  enum class Equal {
    keep,  // keys are all different
    sum,   // records with equal keys become one; the two payload words are one 64-bit count, low word first
  };

  // Records of `key` words, compared in order, and `payload` words. `bytes` bounds the records held in memory.
  // The order does not depend on `threads`.
  RecordSorter(std::size_t key, std::size_t payload, Equal equal, std::size_t bytes, std::string folder,
               int threads = 1);

  std::size_t width() const { return width_; }
  // Number of runs that had to go to disk.
  std::size_t spilled() const { return runs_.size(); }
  // Bytes of records that are in memory now.
  std::size_t bytes_in_memory() const { return 4 * used_; }

  // A place for the next record, to be filled before anything else is called.
  std::uint32_t* append() {
    if (used_ + width_ > capacity_) spill();
    std::uint32_t* record = buffer_.get() + used_;
    used_ += width_;
    return record;
  }

  // Ends the writing. head() is then the first record in order, nullptr after the last one. At most `keep` bytes
  // of records stay in memory.
  void sort(std::size_t keep = std::numeric_limits<std::size_t>::max());
  const std::uint32_t* head() const { return at_end_ ? nullptr : current_; }
  void advance();

 private:
  // A sorted run in the file, from `offset` to `end`, with a buffer for reading.
  struct Run {
    std::uint64_t offset, end;
    std::vector<std::uint32_t> buffer{};
    std::size_t at = 0, filled = 0;

    bool refill(const TemporaryFile& file);
  };
  struct Free {
    void operator()(std::uint32_t* p) const;
  };

  void sort_buffer();
  void spill();
  void write_run();
  void merge_runs();
  const std::uint32_t* peek();
  void pop();
  bool is_later(std::size_t a, std::size_t b) const;

  std::size_t key_, width_, capacity_;
  int threads_;
  Equal equal_;
  std::string folder_;
  std::unique_ptr<std::uint32_t[], Free> buffer_;
  std::size_t used_ = 0, next_ = 0;
  std::optional<TemporaryFile> file_;  // all runs, one after the other
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  // runs by their first record, smallest on top
  std::uint32_t current_[max_width] = {};
  bool at_end_ = true;
};

}  // namespace tunesmith
