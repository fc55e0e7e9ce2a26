#include "base/files/record_sorter.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tunesmith {
namespace {

// Payload words take part, so that the order of records with equal keys is defined too.
template <std::size_t Width>
void sort_by_words(std::array<std::uint32_t, Width>* begin, std::array<std::uint32_t, Width>* end) {
  using Record = std::array<std::uint32_t, Width>;
  std::sort(begin, end, [](const Record& a, const Record& b) {
    for (std::size_t i = 0; i + 1 < Width; ++i)
      if (a[i] != b[i]) return a[i] < b[i];
    return a[Width - 1] < b[Width - 1];
  });
}

// Moves records with the same first word next to one another, in the order of these words and without memory for
// copies; returns where the records of each word begin, and the end.
template <std::size_t Width>
std::vector<std::size_t> group_by_first(std::array<std::uint32_t, Width>* records, std::size_t count,
                                        std::size_t words) {
  std::vector<std::size_t> begins(words + 1);
  for (std::size_t i = 0; i < count; ++i) ++begins[records[i][0] + 1];
  for (std::size_t word = 0; word < words; ++word) begins[word + 1] += begins[word];
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t word = 0; word < words; ++word)
    while (next[word] < begins[word + 1]) {
      const std::uint32_t first = records[next[word]][0];
      if (first != word) std::swap(records[next[word]], records[next[first]]);
      ++next[first];
    }
  return begins;
}

// Texts have few words for many records: they are grouped by their first word, and groups are sorted on all
// threads.
template <std::size_t Width>
void sort_records(std::uint32_t* begin, std::size_t count, int threads) {
  using Record = std::array<std::uint32_t, Width>;
  static_assert(sizeof(Record) == 4 * Width);
  auto* const records = reinterpret_cast<Record*>(begin);
  constexpr std::size_t few = std::size_t{1} << 14;
  std::size_t words = 0;
  if (count >= few)
    for (std::size_t i = 0; i < count; ++i) words = std::max<std::size_t>(words, records[i][0] + std::size_t{1});
  if (count < few || words > count / 4) return sort_by_words<Width>(records, records + count);
  const std::vector<std::size_t> begins = group_by_first<Width>(records, count, words);
  const auto group_at = [&](std::size_t record) {
    return std::lower_bound(begins.begin(), begins.end(), record) - begins.begin();
  };
  parallel_ranges(count, threads, [&](std::size_t first, std::size_t last) {
    for (auto group = group_at(first); group < group_at(last); ++group) {
      const auto at = static_cast<std::size_t>(group);
      if (at < words) sort_by_words<Width>(records + begins[at], records + begins[at + 1]);
    }
  });
}

template <std::size_t... Widths>
void dispatch(std::size_t width, std::uint32_t* begin, std::size_t count, int threads,
              std::index_sequence<Widths...>) {
  ((width == Widths + 1 ? sort_records<Widths + 1>(begin, count, threads) : void()), ...);
}

std::uint64_t count_of(const std::uint32_t* payload) {
  return payload[0] | static_cast<std::uint64_t>(payload[1]) << 32;
}

void add_count(std::uint32_t* payload, std::uint64_t more) {
  const std::uint64_t sum = count_of(payload) + more;
  payload[0] = static_cast<std::uint32_t>(sum);
  payload[1] = static_cast<std::uint32_t>(sum >> 32);
}

}  // namespace

bool RecordSorter::Run::refill(const TemporaryFile& file) {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(4 * buffer.size(), end - offset));
  if (bytes == 0) return false;
  file.read(offset, buffer.data(), bytes);
  offset += bytes;
  at = 0;
  filled = bytes / 4;
  return true;
}

// For the heap functions, which keep the largest on top.
bool RecordSorter::is_later(std::size_t a, std::size_t b) const {
  const std::uint32_t *x = runs_[a].buffer.data() + runs_[a].at, *y = runs_[b].buffer.data() + runs_[b].at;
  const auto [i, j] = std::mismatch(x, x + width_, y);
  return i == x + width_ ? a > b : *i > *j;
}

RecordSorter::RecordSorter(std::size_t key, std::size_t payload, Equal equal, std::size_t bytes,
                           std::string folder, int threads)
    : key_(key), width_(key + payload), threads_(threads), equal_(equal), folder_(std::move(folder)) {
  if (width_ > max_width || (equal == Equal::sum && payload != 2)) throw Error("records of this shape");
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

// Sorts the records in memory and joins those with equal keys.
void RecordSorter::sort_buffer() {
  if (used_ == 0) return;
  dispatch(width_, buffer_.get(), used_ / width_, threads_, std::make_index_sequence<max_width>{});
  if (equal_ == Equal::keep) return;
  std::uint32_t* last = buffer_.get();
  for (const std::uint32_t* from = last + width_; from != buffer_.get() + used_; from += width_) {
    if (std::equal(from, from + key_, last)) {
      add_count(last + key_, count_of(from + key_));
    } else {
      last += width_;
      std::memmove(last, from, 4 * width_);
    }
  }
  used_ = static_cast<std::size_t>(last - buffer_.get()) + width_;
}

void RecordSorter::spill() {
  sort_buffer();
  // Where many records were equal there is room again; spilling only what fills half keeps runs long.
  if (2 * used_ < capacity_) return;
  write_run();
}

void RecordSorter::write_run() {
  if (!file_) file_.emplace(folder_);
  const std::uint64_t begin = file_->size();
  file_->append(buffer_.get(), 4 * used_);
  runs_.push_back({begin, file_->size()});
  used_ = 0;
}

void RecordSorter::sort(std::size_t keep) {
  sort_buffer();
  if ((!runs_.empty() || 4 * used_ > keep) && used_ > 0) write_run();
  next_ = 0;
  if (!runs_.empty()) {
    buffer_.reset();
    merge_runs();
  } else if (void* shrunk = std::realloc(buffer_.get(), std::max<std::size_t>(4 * used_, 1))) {
    // Joined records leave pages behind that are in use for the system.
    (void)buffer_.release();
    buffer_.reset(static_cast<std::uint32_t*>(shrunk));
  }
  advance();
}

void RecordSorter::merge_runs() {
  // All buffers together use half of the memory that sorting had, each at most 4 MB.
  const std::size_t share = std::min(std::size_t{1} << 20, capacity_ / (2 * runs_.size()));
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].buffer.resize(std::max<std::size_t>(share / width_, 16) * width_);
    if (runs_[i].refill(*file_)) heap_.push_back(i);
  }
  const auto later = [this](std::size_t a, std::size_t b) { return is_later(a, b); };
  std::make_heap(heap_.begin(), heap_.end(), later);
}

// The smallest record not yet taken, nullptr if there is none.
const std::uint32_t* RecordSorter::peek() {
  if (runs_.empty()) return next_ < used_ ? buffer_.get() + next_ : nullptr;
  if (heap_.empty()) return nullptr;
  const Run& run = runs_[heap_.front()];
  return run.buffer.data() + run.at;
}

void RecordSorter::pop() {
  if (runs_.empty()) {
    next_ += width_;
    return;
  }
  const auto later = [this](std::size_t a, std::size_t b) { return is_later(a, b); };
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Run& run = runs_[heap_.back()];
  run.at += width_;
  if (run.at == run.filled && !run.refill(*file_))
    heap_.pop_back();
  else
    std::push_heap(heap_.begin(), heap_.end(), later);
}

void RecordSorter::advance() {
  const std::uint32_t* next = peek();
  at_end_ = next == nullptr;
  if (at_end_) return;
  std::memcpy(current_, next, 4 * width_);
  pop();
  if (equal_ == Equal::keep) return;
  while ((next = peek()) != nullptr && std::equal(current_, current_ + key_, next)) {
    add_count(current_ + key_, count_of(next + key_));
    pop();
  }
}

}  // namespace tunesmith
