#include "base/files/spool.hpp"

#include <algorithm>
#include <utility>

namespace tunesmith {
namespace {

constexpr std::size_t block_words = std::size_t{1} << 16;

}  // namespace

Spool::Spool(std::size_t width, MemoryBudget& budget, std::string folder)
    : width_(width), capacity_(block_words / width), budget_(&budget), folder_(std::move(folder)) {
  last_.resize(capacity_ * width_);
}

Spool::~Spool() {
  for (const Block& block : blocks_) budget_->give_back(4 * block.records.size());
}

void Spool::flush() {
  const std::size_t words = filled_ * width_;
  if (words == 0) return;
  Block block{{}, words, 0};
  if (budget_->take(4 * last_.size())) {
    block.records = std::exchange(last_, std::vector<std::uint32_t>(capacity_ * width_));
  } else {
    if (!file_) file_.emplace(folder_);
    block.offset = file_->size();
    file_->append(last_.data(), 4 * words);
  }
  blocks_.push_back(std::move(block));
  filled_ = 0;
}

void Spool::rewind() {
  flush();
  load();
}

void Spool::load() {
  // `last_` holds the block that is being read.
  if (blocks_.empty()) {
    head_ = head_end_ = nullptr;
    last_ = {};
    return;
  }
  Block block = std::move(blocks_.front());
  blocks_.pop_front();
  if (block.records.empty()) {
    last_.resize(std::max(last_.size(), block.words));
    file_->read(block.offset, last_.data(), 4 * block.words);
  } else {
    budget_->give_back(4 * block.records.size());
    last_ = std::move(block.records);
  }
  head_ = last_.data();
  head_end_ = head_ + block.words;
}

}  // namespace tunesmith
