#include "base/files/record_reader.hpp"

#include <algorithm>

#include "base/files/sort_records.hpp"

namespace tunesmith {

bool RecordReader::Run::refill(const TemporaryFile& file) {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(4 * buffer.size(), left.end - left.begin));
  if (bytes == 0) {
    buffer = {};
    return false;
  }
  file.read(left.begin, buffer.data(), bytes);
  left.begin += bytes;
  at = 0;
  filled = bytes / 4;
  return true;
}

RecordReader::RecordReader(const std::uint32_t* begin, const std::uint32_t* end, std::size_t width)
    : width_(width), begin_(begin), end_(end) {}

RecordReader::RecordReader(const TemporaryFile& file, const std::vector<Extent>& runs, std::size_t width,
                           std::size_t sum_key, std::size_t bytes)
    : width_(width), sum_key_(sum_key), bytes_(bytes), file_(&file) {
  for (const Extent& run : runs)
    if (run.begin != run.end) runs_.push_back({run});
}

void RecordReader::start() {
  if (file_ == nullptr) {
    head_ = begin_ == end_ ? nullptr : begin_;
    return;
  }
  // Each buffer has at most 4 MB.
  const std::size_t share = std::min(std::size_t{1} << 20, bytes_ / (4 * std::max<std::size_t>(1, runs_.size())));
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].buffer.resize(std::max<std::size_t>(share / width_, 16) * width_);
    if (runs_[i].refill(*file_)) heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return is_later(a, b); });
  current_.resize(width_);
  merge();
}

// For the heap functions, which keep the largest on top.
bool RecordReader::is_later(std::size_t a, std::size_t b) const {
  const std::uint32_t *x = runs_[a].buffer.data() + runs_[a].at, *y = runs_[b].buffer.data() + runs_[b].at;
  const auto [i, j] = std::mismatch(x, x + width_, y);
  return i == x + width_ ? a > b : *i > *j;
}

// The smallest record not yet taken, nullptr if there is none.
const std::uint32_t* RecordReader::peek() const {
  if (heap_.empty()) return nullptr;
  const Run& run = runs_[heap_.front()];
  return run.buffer.data() + run.at;
}

void RecordReader::pop() {
  const auto later = [this](std::size_t a, std::size_t b) { return is_later(a, b); };
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Run& run = runs_[heap_.back()];
  run.at += width_;
  if (run.at == run.filled && !run.refill(*file_))
    heap_.pop_back();
  else
    std::push_heap(heap_.begin(), heap_.end(), later);
}

void RecordReader::merge() {
  const std::uint32_t* next = peek();
  head_ = nullptr;
  if (next == nullptr) return;
  std::copy(next, next + width_, current_.begin());
  head_ = current_.data();
  pop();
  if (sum_key_ == 0) return;
  while ((next = peek()) != nullptr && std::equal(head_, head_ + sum_key_, next)) {
    add_count(current_.data() + sum_key_, next + sum_key_);
    pop();
  }
}

}  // namespace tunesmith
