// External sort of fixed-width records: everything stays in memory while it fits, otherwise sorted runs go to
// temporary files and are merged. The sorted sequence does not depend on the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/files/record_reader.hpp"
#include "base/files/sort_records.hpp"
#include "base/files/temporary_file.hpp"

namespace tunesmith {

class RecordSorter {
 public:
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
  // A place for `count` records, one after the other; nullptr if they do not fit in memory.
  std::uint32_t* append(std::size_t count);

  // Ends the writing; `split` then reads. At most `keep` bytes of records stay in memory.
  void end(std::size_t keep = std::numeric_limits<std::size_t>::max());
  // Sorted records in about `parts` parts, one after the other, of about the same size. Records with the same
  // first word are in one part. `at_once` of them are read at the same time.
  std::vector<RecordReader> split(std::size_t parts, std::size_t at_once) const;

  // Ends the writing. head() is then the first record in order, nullptr after the last one.
  void sort(std::size_t keep = std::numeric_limits<std::size_t>::max());
  const std::uint32_t* head() const { return whole_.head(); }
  void advance() { whole_.advance(); }

 private:
  struct Free {
    void operator()(std::uint32_t* p) const;
  };

  void sort_buffer();
  void spill();
  void write_run();
  std::vector<RecordReader> split_runs(std::size_t parts, std::size_t bytes) const;
  std::uint32_t first_word(std::uint64_t offset) const;
  std::size_t sum_key() const { return equal_ == Equal::sum ? key_ : 0; }

  std::size_t key_, width_, capacity_;
  int threads_;
  Equal equal_;
  std::string folder_;
  std::unique_ptr<std::uint32_t[], Free> buffer_;
  std::size_t used_ = 0;
  std::unique_ptr<TemporaryFile> file_;  // all runs, one after the other
  std::vector<RecordReader::Extent> runs_;
  RecordReader whole_;
};

}  // namespace tunesmith
