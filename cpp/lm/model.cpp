#include "lm/model.hpp"

#include <atomic>
#include <cassert>
#include <utility>

namespace tunesmith::lm {
namespace {

std::atomic<std::uint64_t> models = 0;

}  // namespace

Model::Model(std::shared_ptr<const Image> image)
    : image_(std::move(image)),
      identity_(++models),
      order_(image_->order()),
      unigrams_(image_->unigrams().data()),
      words_(image_->word_slots(), image_->word_begins(), image_->text().data()) {
  for (int n = 2; n < order_; ++n)
    middle_[static_cast<std::size_t>(n - 2)] = {image_->middle(n), image_->homes(n)};
  if (order_ > 1) longest_ = {image_->longest(), image_->homes(order_)};
  if (order_ > 1) {
    begin_.length = 1;
    begin_.words[0] = sentence_begin;
    begin_.backoffs[0] = unigrams_[sentence_begin].backoff;
  }
}

float Model::score_forgotten(const std::uint32_t* context, std::uint32_t count, std::uint32_t word) const {
  count = std::min(count, static_cast<std::uint32_t>(order_) - 1);
  State before, after;
  if (count > 0) match(context + 1, count - 1, context[0], before);
  return score(before, word, after).probability;
}

}  // namespace tunesmith::lm
