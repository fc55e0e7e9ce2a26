#include "base/files/record_sorter.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"

namespace tunesmith {

RecordSorter::RecordSorter(std::size_t key, std::size_t payload, Equal equal, std::size_t bytes,
                           std::string folder, int threads)
    : key_(key), width_(key + payload), threads_(threads), equal_(equal), folder_(std::move(folder)) {
  if (width_ > max_record_width || (equal == Equal::sum && payload != 2)) throw Error("records of this shape");
  capacity_ = std::max<std::size_t>(bytes / (4 * width_), 64) * width_;
  // Pages that are never written to cost nothing, so all of it is asked for at once. A system that does not give
  // more than it has gets a smaller request.
  constexpr std::size_t little = std::size_t{1} << 22;
  while (true) {
    buffer_.reset(static_cast<std::uint32_t*>(std::malloc(4 * capacity_)));
    if (buffer_ || capacity_ < little) break;
    capacity_ = capacity_ / (2 * width_) * width_;
  }
  if (!buffer_) throw FileError("no memory for sorting; give less with --memory");
}

void RecordSorter::Free::operator()(std::uint32_t* p) const {
  std::free(p);
}

std::uint32_t* RecordSorter::append(std::size_t count) {
  if (count * width_ > capacity_ / 2) return nullptr;
  if (used_ + count * width_ > capacity_) spill();
  std::uint32_t* records = buffer_.get() + used_;
  used_ += count * width_;
  return records;
}

// Sorts the records in memory and joins those with equal keys.
void RecordSorter::sort_buffer() {
  used_ = width_ * sort_records(buffer_.get(), used_ / width_, width_, sum_key(), threads_);
}

void RecordSorter::spill() {
  sort_buffer();
  // Where many records were equal there is room again; spilling only what fills half keeps runs long.
  if (2 * used_ < capacity_) return;
  write_run();
}

void RecordSorter::write_run() {
  if (!file_) file_ = std::make_unique<TemporaryFile>(folder_);
  const std::uint64_t begin = file_->size();
  file_->append(buffer_.get(), 4 * used_);
  runs_.push_back({begin, file_->size()});
  used_ = 0;
}

void RecordSorter::end(std::size_t keep) {
  sort_buffer();
  if ((!runs_.empty() || 4 * used_ > keep) && used_ > 0) write_run();
  if (!runs_.empty()) {
    buffer_.reset();
  } else if (void* shrunk = std::realloc(buffer_.get(), std::max<std::size_t>(4 * used_, 1))) {
    // Joined records leave pages behind that are in use for the system.
    (void)buffer_.release();
    buffer_.reset(static_cast<std::uint32_t*>(shrunk));
  }
}

void RecordSorter::sort(std::size_t keep) {
  end(keep);
  whole_ = std::move(split(1, 1).front());
  whole_.start();
}

std::vector<RecordReader> RecordSorter::split(std::size_t parts, std::size_t at_once) const {
  // All buffers together use half of the memory that sorting had.
  if (!runs_.empty()) return split_runs(parts, 2 * capacity_ / at_once);
  std::vector<RecordReader> readers;
  const std::uint32_t* const first = buffer_.get();
  std::size_t begin = 0;
  for (std::size_t part = 1; part <= parts; ++part) {
    std::size_t end = std::max(begin, used_ / width_ * part / parts * width_);
    while (end != 0 && end != used_ && first[end] == first[end - width_]) end += width_;
    if (end != begin || (part == parts && readers.empty()))
      readers.emplace_back(first + begin, first + end, width_);
    begin = end;
  }
  return readers;
}

std::uint32_t RecordSorter::first_word(std::uint64_t offset) const {
  std::uint32_t word;
  file_->read(offset, &word, sizeof word);
  return word;
}

std::vector<RecordReader> RecordSorter::split_runs(std::size_t parts, std::size_t bytes) const {
  const std::size_t size = 4 * width_;
  std::vector<RecordReader::Extent> left = runs_;
  std::vector<RecordReader> readers;
  for (std::size_t part = 1; part < parts; ++part) {
    // The runs are of pieces of one text, so that the first one shows how many records words have.
    const std::uint64_t records = (runs_[0].end - runs_[0].begin) / size;
    const std::uint32_t next = first_word(runs_[0].begin + records * part / parts * size);
    std::vector<RecordReader::Extent> before;
    for (RecordReader::Extent& run : left) {
      std::uint64_t least = 0, most = (run.end - run.begin) / size;  // of records below `next`
      while (least < most) {
        const std::uint64_t middle = (least + most) / 2;
        if (first_word(run.begin + middle * size) < next)
          least = middle + 1;
        else
          most = middle;
      }
      before.push_back({run.begin, run.begin + least * size});
      run.begin += least * size;
    }
    if (std::any_of(before.begin(), before.end(), [](const auto& run) { return run.begin != run.end; }))
      readers.emplace_back(*file_, before, width_, sum_key(), bytes);
  }
  readers.emplace_back(*file_, left, width_, sum_key(), bytes);
  return readers;
}

}  // namespace tunesmith
