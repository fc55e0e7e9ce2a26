#include "base/files/spool.hpp"

#include <algorithm>
#include <utility>

namespace tunesmith {
namespace {

constexpr std::size_t block_words = std::size_t{1} << 14;

}  // namespace

Spool::Spool(std::size_t width, MemoryBudget& budget, std::string folder)
    : width_(width), budget_(&budget), folder_(std::move(folder)) {}

Spool::~Spool() {
  for (const Block& block : blocks_)
    if (block.records) budget_->give_back(4 * block.words);
}

void Spool::make_room() {
  flush();
  room_ = block_words / width_;
  if (!last_) last_ = std::make_unique_for_overwrite<std::uint32_t[]>(room_ * width_);
}

void Spool::flush() {
  const std::size_t words = filled_ * width_;
  if (words == 0) return;
  Block block{nullptr, words, 0};
  if (budget_->take(4 * words)) {
    if (filled_ < room_) {
      block.records = std::make_unique_for_overwrite<std::uint32_t[]>(words);
      std::copy(last_.get(), last_.get() + words, block.records.get());
    } else {
      block.records = std::move(last_);
    }
  } else {
    if (!file_) file_.emplace(folder_);
    block.offset = file_->size();
    file_->append(last_.get(), 4 * words);
  }
  blocks_.push_back(std::move(block));
  filled_ = 0;
}

void Spool::end() {
  flush();
  last_.reset();
  room_ = 0;
}

void Spool::rewind() {
  end();
  load();
}

void Spool::load() {
  if (blocks_.empty()) {
    head_ = head_end_ = nullptr;
    last_.reset();
    file_.reset();
    return;
  }
  Block block = std::move(blocks_.front());
  blocks_.pop_front();
  if (block.records) {
    budget_->give_back(4 * block.words);
    last_ = std::move(block.records);
  } else {
    last_ = std::make_unique_for_overwrite<std::uint32_t[]>(block.words);
    file_->read(block.offset, last_.get(), 4 * block.words);
  }
  head_ = last_.get();
  head_end_ = head_ + block.words;
}

}  // namespace tunesmith
