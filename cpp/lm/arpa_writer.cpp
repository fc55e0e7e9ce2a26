#include "lm/arpa_writer.hpp"

#include <bit>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/parallel.hpp"
#include "base/thread_start.hpp"

namespace tunesmith::lm {
namespace {

// Appends the shortest decimal that is read back as `value`.
void append_float(std::string& text, float value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

void ArpaWriter::begin_section(int order, std::string& text) {
  if (section_ == 0) {
    text += "\\data\\\n";
    for (int n = 1; n <= estimate_.order(); ++n)
      text += "ngram " + std::to_string(n) + "=" +
              std::to_string(estimate_.statistics()[static_cast<std::size_t>(n - 1)].kept) + "\n";
  }
  while (section_ < order) text += "\n\\" + std::to_string(++section_) + "-grams:\n";
}

bool ArpaWriter::take(Block& block) {
  constexpr int enough = 1 << 13;  // threads wake each other rarely
  if (ended_) return false;
  if (!has_held_) has_held_ = estimate_.next(held_order_, held_);
  if (!has_held_) {
    begin_section(estimate_.order(), block.heading);
    block.heading += "\n\\end\\\n";
    ended_ = true;
    return true;
  }
  block.order = held_order_;
  begin_section(block.order, block.heading);
  const auto length = static_cast<std::size_t>(block.order);
  block.ngrams.reserve(enough * (length + 2));
  for (int i = 0; has_held_ && held_order_ == block.order && i < enough; ++i) {
    block.ngrams.insert(block.ngrams.end(), held_.words, held_.words + length);
    block.ngrams.push_back(std::bit_cast<std::uint32_t>(held_.probability));
    block.ngrams.push_back(std::bit_cast<std::uint32_t>(held_.backoff));
    has_held_ = estimate_.next(held_order_, held_);
  }
  return true;
}

std::string ArpaWriter::text_of(const Block& block) const {
  std::string text = block.heading;
  text.reserve(text.size() + 12 * block.ngrams.size());
  const WordTable& words = estimate_.words();
  const auto append_word = [&](std::uint32_t word) { text += words.word(static_cast<WordId>(word)); };
  const auto length = static_cast<std::size_t>(block.order);
  for (auto ngram = block.ngrams.begin(); ngram != block.ngrams.end();
       ngram += static_cast<std::ptrdiff_t>(length + 2)) {
    append_float(text, std::bit_cast<float>(ngram[static_cast<std::ptrdiff_t>(length)]));
    text += '\t';
    for (std::size_t i = length - 1; i-- > 0;) {
      append_word(ngram[static_cast<std::ptrdiff_t>(i)]);
      text += ' ';
    }
    append_word(ngram[static_cast<std::ptrdiff_t>(length - 1)]);
    if (block.order < estimate_.order()) {
      text += '\t';
      append_float(text, std::bit_cast<float>(ngram[static_cast<std::ptrdiff_t>(length + 1)]));
    }
    text += '\n';
  }
  return text;
}

std::string ArpaWriter::next() {
  if (threads_ > 1) return next_made();
  Block block;
  return take(block) ? text_of(block) : std::string();
}

ArpaWriter::~ArpaWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

// What each thread does: it takes n-grams in turn and makes text of them at the same time as others, while not too
// many pieces wait.
void ArpaWriter::make_pieces() {
  const std::size_t most = 2 * useful_threads(threads_);  // each of some half a megabyte, beyond --memory
  Block block;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || pieces_.size() < most; });
    block.heading.clear();
    block.ngrams.clear();
    if (stop_ || !take(block)) return;
    const std::uint64_t number = taken_++;
    pieces_.emplace_back();
    lock.unlock();
    std::string text = text_of(block);
    lock.lock();
    pieces_[static_cast<std::size_t>(number - given_)] = std::move(text);
    if (number == given_) changed_.notify_all();
  }
}

std::string ArpaWriter::next_made() {
  std::unique_lock lock(mutex_);
  if (makers_.empty())
    for (std::size_t i = 0; i < useful_threads(threads_); ++i)
      makers_.emplace_back([this] {
        try {
          prepare_thread();
          make_pieces();
        } catch (...) {
          const std::lock_guard guard(mutex_);
          failure_ = std::current_exception();
          stop_ = true;
        }
        changed_.notify_all();
      });
  changed_.wait(lock, [&] { return stop_ || (pieces_.empty() ? ended_ : pieces_.front().has_value()); });
  if (failure_) std::rethrow_exception(failure_);
  if (pieces_.empty()) return {};
  std::string text = std::move(*pieces_.front());
  pieces_.pop_front();
  ++given_;
  lock.unlock();
  changed_.notify_all();
  return text;
}

}  // namespace tunesmith::lm
