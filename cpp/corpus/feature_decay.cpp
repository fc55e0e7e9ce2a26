#include "corpus/feature_decay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t most_numbers = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

FeatureDecay::FeatureDecay(int order) : order_(static_cast<std::size_t>(order)), ngrams_(1), begins_{0} {
  if (order < 1 || order > 255) throw Error("order must be from 1 to 255, got " + std::to_string(order));
}

void FeatureDecay::add_in_domain(std::span<const std::string_view> lines) {
  if (!lengths_.empty()) throw Error("in-domain text must come before candidates");
  for (const std::string_view line : lines) {
    sentence_.clear();
    for_each_word(line, [&](std::string_view word) { sentence_.push_back(words_.add(word)); });
    in_domain_tokens_ += static_cast<std::int64_t>(sentence_.size());
    for (std::size_t begin = 0; begin < sentence_.size(); ++begin) {
      NgramId ngram = 0;
      for (std::size_t at = begin; at < std::min(begin + order_, sentence_.size()); ++at) {
        const std::uint64_t longer = key(ngram, sentence_[at]);
        ngram = extended_.find(longer);
        if (ngram == NumberTable::none) {
          if (ngrams_.size() >= most_numbers)
            throw Error("the in-domain text has too many n-grams; lower the order");
          ngram = narrow<NgramId>(ngrams_.size(), "n-grams");
          extended_.set(longer, ngram);
          ngrams_.push_back({.words = static_cast<std::uint8_t>(at - begin + 1)});
        }
        ++ngrams_[ngram].in_domain;
      }
    }
  }
}

void FeatureDecay::add(std::span<const std::string_view> lines) {
  if (lengths_.empty())
    for (std::size_t id = 1; id < ngrams_.size(); ++id) {
      Ngram& ngram = ngrams_[id];
      ngram.initial = std::log(static_cast<double>(in_domain_tokens_) / ngram.in_domain);
      ngram.value = ngram.initial;
    }
  if (lines.size() > most_numbers - lengths_.size()) throw Error("more than 4294967294 candidates");
  for (const std::string_view line : lines) {
    sentence_.clear();
    for_each_word(line, [&](std::string_view word) { sentence_.push_back(words_.find(word)); });
    for (std::size_t begin = 0; begin < sentence_.size(); ++begin) {
      NgramId ngram = 0;
      // Every beginning of an n-gram of the in-domain text is one too: the first that is missing ends the walk.
      for (std::size_t at = begin; at < std::min(begin + order_, sentence_.size()); ++at) {
        if (sentence_[at] == WordTable::none) break;
        ngram = extended_.find(key(ngram, sentence_[at]));
        if (ngram == NumberTable::none) break;
        ngrams_[ngram].available = true;
        found_.push_back(ngram);
      }
    }
    std::sort(found_.begin() + static_cast<std::ptrdiff_t>(begins_.back()), found_.end());
    begins_.push_back(found_.size());
    const auto number = narrow<std::uint32_t>(lengths_.size(), "candidates");
    lengths_.push_back(narrow<std::uint32_t>(sentence_.size(), "words of a line"));
    if (const double bound = score(number); bound > 0) heap_.push_back({bound, number});
  }
  heaped_ = false;
}

FeatureDecay::Chosen FeatureDecay::select(std::int64_t most) {
  if (!heaped_) std::make_heap(heap_.begin(), heap_.end());
  heaped_ = true;
  Chosen out;
  while (std::cmp_less(out.lines.size(), most) && !heap_.empty()) {
    const Bound top = heap_.front();
    const double now = score(top.line);
    if (now < top.score) {
      heap_.front().score = now;
      if (!sift_down()) continue;
    }
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
    choose(top.line);
    out.lines.push_back(top.line);
    out.scores.push_back(now);
  }
  return out;
}

FeatureDecay::Coverage FeatureDecay::coverage() const {
  Coverage out{std::vector<std::int64_t>(order_), std::vector<std::int64_t>(order_),
               std::vector<std::int64_t>(order_)};
  for (std::size_t id = 1; id < ngrams_.size(); ++id) {
    const Ngram& ngram = ngrams_[id];
    const std::size_t at = ngram.words - 1u;
    ++out.in_domain[at];
    out.candidates[at] += ngram.available;
    out.chosen[at] += ngram.chosen > 0;
  }
  return out;
}

// Sums in the order of n-gram numbers: the same n-grams give the same sum, wherever they stand.
double FeatureDecay::score(std::uint32_t line) const {
  double sum = 0;
  for (std::size_t at = begins_[line]; at < begins_[line + 1];) {
    const std::size_t first = at;
    while (++at < begins_[line + 1] && found_[at] == found_[first]) {
    }
    sum += static_cast<double>(at - first) * ngrams_[found_[first]].value;
  }
  return sum == 0 ? 0 : sum / lengths_[line];
}

void FeatureDecay::choose(std::uint32_t line) {
  for (std::size_t at = begins_[line]; at < begins_[line + 1]; ++at) {
    Ngram& ngram = ngrams_[found_[at]];
    ++ngram.chosen;
    ngram.value = ngram.initial / (1.0 + ngram.chosen);
  }
}

bool FeatureDecay::sift_down() {
  const Bound fallen = heap_.front();
  std::size_t at = 0;
  while (2 * at + 1 < heap_.size()) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < heap_.size() && heap_[child] < heap_[child + 1]) ++child;
    if (!(fallen < heap_[child])) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = fallen;
  return at == 0;
}

}  // namespace tunesmith
